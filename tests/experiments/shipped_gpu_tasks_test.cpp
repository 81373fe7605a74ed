// Every CUDA task of configs/tasks/recsys is read, its kernels compile and their launch plans hold
// at every workload, at default knobs and at some random points.

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/places.hpp"
#include "fitness/cuda/nvrtc_compiler.hpp"
#include "tests/experiments/read_experiments.hpp"
#include "tests/support/nvrtc_place.hpp"

namespace ke {
namespace {

constexpr int random_points = 2;

std::vector<std::string> gpu_tasks() {
  std::vector<std::string> names = known_tasks();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("recsys/"); });
  return names;
}

class ShippedGpuTask : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto task = load_task(GetParam(), ".");
    ASSERT_TRUE(task) << task.error().message;
    task_ = *std::move(task);
  }

  /// The kernel at its defaults, then at random points of its space.
  static std::vector<Kernel> points(const std::string& name, const std::string& source) {
    const auto space = parse_kernel_space(name, source);
    EXPECT_TRUE(space) << space.error().message;
    if (!space) return {};
    std::vector<Kernel> list{space->defaults(name, source)};
    EXPECT_TRUE(space->admits(list.front())) << name << ": the defaults break a @require";
    RandomStream random(StreamKey{.seed = 1});
    for (int i = 0; i < random_points && space->size() > 1; ++i) {
      if (auto point = space->sample(list.front(), random)) list.push_back(*std::move(point));
    }
    for (Kernel& kernel : list) kernel.language = "cuda";
    return list;
  }

  std::shared_ptr<const Task> task_;
};

TEST_P(ShippedGpuTask, has_a_naive_kernel_an_anchor_and_shared_headers) {
  EXPECT_EQ(task_->language, "cuda");
  ASSERT_NE(task_->kernel_source("naive"), nullptr);
  ASSERT_NE(task_->kernel_source("anchor"), nullptr);
  const auto anchor = parse_kernel_space("anchor", *task_->kernel_source("anchor"));
  ASSERT_TRUE(anchor) << anchor.error().message;
  EXPECT_GE(anchor->knobs.size(), 4);
  EXPECT_TRUE(task_->include_dir.ends_with("recsys/include")) << task_->include_dir;
}

TEST_P(ShippedGpuTask, kernels_compile_and_their_plans_hold_at_every_workload) {
  const auto place = nvrtc_place();
  if (!place) GTEST_SKIP() << place.error().message;
  gpu::GpuOptions options;
  options.tools_dir = KE_BINARY_DIR;
  options.nvrtc = place->library;
  options.compile_limit_ms = 120'000;
  const auto compiler = cuda::make_nvrtc_compiler(*task_, options);
  for (const auto& [name, source] : task_->kernels) {
    for (const Kernel& kernel : points(name, source)) {
      const auto built = compiler->build(kernel, {"sm_90a", {}});
      ASSERT_TRUE(built) << built.error().message;
      EXPECT_EQ(built->verdict, Verdict::ok)
          << name << ": " << built->message << " at " << testing::PrintToString(kernel.knobs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recsys, ShippedGpuTask, testing::ValuesIn(gpu_tasks()),
                         [](const auto& one) { return one.param.substr(one.param.find('/') + 1); });

TEST(shipped_gpu_tasks, are_all_in_the_experiment_of_the_gpu) {
  std::vector<std::string> listed = test::shipped_experiment("recsys-h200.yaml").tasks;
  std::ranges::sort(listed);
  EXPECT_EQ(listed, gpu_tasks());
}

}  // namespace
}  // namespace ke
