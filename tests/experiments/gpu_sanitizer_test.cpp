// compute-sanitizer on a GPU, through the evaluator: finds errors that the judge may miss.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitness/gpu/compute_sanitizer.hpp"
#include "fitness/gpu/driver.hpp"
#include "tests/experiments/sanitize_job.hpp"
#include "tests/support/start_cuda.hpp"

namespace ke {
namespace {

using testing::HasSubstr;

/// The task's naive kernel with an extra line before its first use of shared memory.
std::string softmax_with(const Task& task, const std::string& line) {
  const std::string before = "  parts[threadIdx.x] = most;\n";
  std::string source = *task.kernel_source("naive");
  const std::size_t at = source.find(before);
  EXPECT_NE(at, std::string::npos);
  return source.insert(at, line);
}

class GpuSanitizer : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto driver = gpu::load_driver(); !driver) GTEST_SKIP() << driver.error().message;
    if (const auto tool = gpu::find_compute_sanitizer(); !tool) {
      GTEST_SKIP() << tool.error().message;
    }
    const auto task = load_task("recsys/softmax", "");
    ASSERT_TRUE(task) << task.error().message;
    task_ = *task;
    auto evaluator = test::start_cuda(task_);
    ASSERT_TRUE(evaluator) << evaluator.error().message;
    evaluator_ = *std::move(evaluator);
  }

  Fact examined(const std::string& source) {
    const auto seed = make_seed(*task_, "naive", source);
    EXPECT_TRUE(seed) << seed.error().message;
    return test::examined(*evaluator_, seed->kernel);
  }

  std::shared_ptr<const Task> task_;
  std::unique_ptr<Evaluator> evaluator_;
};

TEST_F(GpuSanitizer, sees_accesses_beside_a_tensor_and_reads_of_what_nobody_wrote) {
  EXPECT_EQ(examined(*task_->kernel_source("naive")).message, "clean");
  const Fact beside = examined(softmax_with(*task_, "  if (in[cols] == 12345.0f) most = 0;\n"));
  EXPECT_EQ(beside.verdict, Verdict::suspicious) << beside.message;
  EXPECT_EQ(beside.reason, "sanitizer_memcheck");
  EXPECT_THAT(beside.message, HasSubstr("Invalid __global__ read of size 4 bytes at softmax"));
  const Fact unwritten = examined(softmax_with(*task_, "  if (out[0] == 12345.0f) most = 0;\n"));
  EXPECT_EQ(unwritten.reason, "sanitizer_initcheck") << unwritten.message;
}

}  // namespace
}  // namespace ke
