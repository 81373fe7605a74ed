// Kernels in Python DSLs of configs/tasks are read, and their launch plans hold at every workload.
// The DSL's own package compiles them if it is installed, for GPUs that need not be present;
// otherwise a stand-in for Triton does.

#include <gtest/gtest.h>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/python.hpp"
#include "experiments/run/places.hpp"
#include "fitness/python/python_builder.hpp"
#include "tests/support/real_python.hpp"
#include "tests/support/stand_in_python.hpp"

namespace ke {
namespace {

/// Builds the task's DSL kernel for `arch`, at its defaults and at a random point.
std::vector<gpu::GpuBuilt> built_seeds(const Task& task, const std::string& dsl,
                                       const std::string& arch,
                                       const python::DslCompiler& compiler) {
  std::vector<gpu::GpuBuilt> list;
  EXPECT_EQ(task.language_of(dsl), dsl);
  EXPECT_EQ(task.language_of("anchor"), "cuda");
  const auto seed = make_seed(task, dsl, *task.kernel_source(dsl));
  EXPECT_TRUE(seed) << seed.error().message;
  if (!seed) return list;
  RandomStream random(StreamKey{.seed = 1});
  for (const auto& kernel :
       {std::optional(seed->kernel), seed->space->sample(seed->kernel, random)}) {
    const auto built = python::build_python(task, {}, arch, compiler, kernel.value());
    EXPECT_TRUE(built) << built.error().message;
    if (built) list.push_back(*built);
  }
  return list;
}

/// Builds the kernels of every task that has one in the DSL; each must compile.
std::vector<gpu::GpuBuilt> built_everywhere(const std::string& dsl, const std::string& arch,
                                            const python::DslCompiler& compiler) {
  std::vector<gpu::GpuBuilt> all;
  for (const std::string& name : known_tasks()) {
    if (!name.starts_with("recsys/")) continue;
    const auto task = load_task(name, ".");
    EXPECT_TRUE(task) << task.error().message;
    if (!task || (*task)->kernel_source(dsl) == nullptr) continue;
    for (gpu::GpuBuilt& built : built_seeds(**task, dsl, arch, compiler)) {
      EXPECT_EQ(built.verdict, Verdict::ok)
          << name << ", " << arch << ": " << built.reason << ": " << built.message;
      all.push_back(std::move(built));
    }
  }
  return all;
}

TEST(ShippedTriton, kernels_of_tasks_hold_at_every_workload) {
  const StandInPython python(testing::TempDir());
  if (python.installation.program.empty()) GTEST_SKIP() << "no python3 here";
  const auto compiler = python.compiler();
  ASSERT_TRUE(compiler) << compiler.error().message;
  EXPECT_EQ(built_everywhere("triton", "sm_90a", *compiler).size(), 4u);
}

TEST(ShippedTriton, its_own_compiler_takes_the_kernels_without_a_gpu) {
  const auto compiler = real_compiler("triton");
  if (!compiler) GTEST_SKIP() << why_no_package("triton");
  const auto all = built_everywhere("triton", "sm_90a", *compiler);
  EXPECT_EQ(all.size(), 4u);
  for (const gpu::GpuBuilt& built : all) {
    EXPECT_GE(built.measures.at("registers"), 16);
    EXPECT_GT(built.measures.at("ptx_instructions"), 50);
  }
}

TEST(ShippedCute, its_own_compiler_takes_the_kernels_without_a_gpu) {
  const auto compiler = real_compiler("cute");
  if (!compiler) GTEST_SKIP() << why_no_package("cute");
  const auto all = built_everywhere("cute", "sm_90a", *compiler);
  EXPECT_EQ(all.size(), 4u);
  for (const gpu::GpuBuilt& built : all) {
    EXPECT_GE(built.measures.at("registers"), 16);
    EXPECT_GE(built.measures.at("load_bytes"), 4) << "an access of four floats beside single ones";
    EXPECT_EQ(built.measures.at("spill_bytes"), 0);
  }
}

TEST(ShippedFlydsl, its_own_compiler_takes_the_kernels_without_a_gpu) {
  const auto compiler = real_compiler("flydsl");
  if (!compiler) GTEST_SKIP() << why_no_package("flydsl");
  for (const char* target : {"gfx90a", "gfx942"}) {
    const auto all = built_everywhere("flydsl", target, *compiler);
    EXPECT_EQ(all.size(), 2u);
    for (const gpu::GpuBuilt& built : all) {
      EXPECT_GE(built.measures.at("vgprs"), 8);
      EXPECT_GE(built.measures.at("lds_bytes"), 4) << "a float of each wave";
      EXPECT_EQ(built.measures.at("spills"), 0);
    }
  }
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
  EXPECT_EQ(refusal_of("flydsl"), "device.dsl = flydsl: kernels in FlyDSL are for device: hip");
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
