// Kernels in Triton of configs/tasks are read, and their launch plans hold at every workload; a
// stand-in for Triton compiles them.

#include <gtest/gtest.h>

#include "experiments/evaluators/cpu.hpp"
#include "experiments/evaluators/python.hpp"
#include "experiments/places.hpp"
#include "fitness/python/python_builder.hpp"
#include "tests/support/stand_in_python.hpp"

namespace ke {
namespace {

TEST(ShippedTriton, kernels_of_tasks_hold_at_every_workload) {
  const StandInPython python(testing::TempDir());
  if (python.installation.program.empty()) GTEST_SKIP() << "no python3 here";
  const auto compiler = python.compiler();
  ASSERT_TRUE(compiler) << compiler.error().message;
  int seen = 0;
  for (const std::string& name : known_tasks()) {
    if (!name.starts_with("recsys/")) continue;
    const auto task = load_task(name, ".");
    ASSERT_TRUE(task) << task.error().message;
    const std::string* source = (*task)->kernel_source("triton");
    if (source == nullptr) continue;
    EXPECT_EQ((*task)->language_of("triton"), "triton");
    EXPECT_EQ((*task)->language_of("anchor"), "cuda");
    const auto seed = make_seed(**task, "triton", *source);
    ASSERT_TRUE(seed) << seed.error().message;
    RandomStream random(StreamKey{.seed = 1});
    for (const auto& kernel :
         {std::optional(seed->kernel), seed->space->sample(seed->kernel, random)}) {
      ASSERT_TRUE(kernel);
      const auto built = python::build_python(**task, {}, "sm_90a", *compiler, *kernel);
      ASSERT_TRUE(built) << built.error().message;
      EXPECT_EQ(built->verdict, Verdict::ok) << name << ": " << built->reason << built->message;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 4);
}

TEST(ShippedTriton, the_seed_of_a_search_is_the_kernel_in_triton) {
  ParamLog log;
  Params device(nullptr, "device", log);
  const auto kind = make_python_kind();
  const auto subject = kind->subject(device, "recsys/softmax", ".");
  ASSERT_TRUE(subject) << subject.error().message;
  ASSERT_EQ(subject->seeds.size(), 1u);
  EXPECT_EQ(subject->seeds[0].kernel.language, "triton");
  EXPECT_EQ(subject->naive.kernel.language, "cuda");
  const auto none = kind->subject(device, "recsys/transpose", ".");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "task 'transpose' has no kernel in triton: its task.yaml names none below "
            "'kernels.triton'");
}

std::string refusal_of(const std::string& dsl) {
  Node word;
  word.kind = Node::Kind::scalar;
  word.scalar = dsl;
  Node options;
  options.kind = Node::Kind::map;
  options.set("dsl", std::move(word));
  ParamLog log;
  Params device(&options, "device", log);
  const auto subject = make_python_kind()->subject(device, "recsys/softmax", ".");
  return subject ? "" : subject.error().message;
}

TEST(ShippedTriton, tasks_have_no_kernel_in_other_dsls) {
  EXPECT_EQ(refusal_of("triton"), "");
  EXPECT_EQ(refusal_of("cute"),
            "task 'softmax' has no kernel in cute: its task.yaml names none below 'kernels.cute'");
  EXPECT_EQ(
      refusal_of("flydsl"),
      "FlyDSL compiles for AMD GPUs alone, and kernels of Python DSLs are judged on an NVIDIA "
      "GPU; kernels in HIP can be compiled for AMD GPUs: device: hip");
}

TEST(ShippedTriton, a_missing_python_is_a_device_that_is_missing) {
  const auto found = find_python("no-such-python");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().failure, Failure::device);
  EXPECT_EQ(found.error().message,
            "no-such-python: no such program; name a Python by its path in device.python");
}

}  // namespace
}  // namespace ke
