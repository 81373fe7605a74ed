#include <gtest/gtest.h>

#include <algorithm>

#include "fitness/cuda/cuda_evaluator.hpp"
#include "fitness/gpu/driver.hpp"
#include "fitness/gpu/worker_protocol.hpp"

namespace ke::gpu {
namespace {

const ProbeLine& finding(const std::vector<ProbeLine>& list, const std::string& what) {
  const auto found = std::ranges::find(list, what, &ProbeLine::what);
  EXPECT_NE(found, list.end()) << what;
  return found == list.end() ? list.front() : *found;
}

TEST(CudaProbe, says_what_is_there_or_missing_and_why) {
  const auto found = cuda::probe_cuda(KE_BINARY_DIR);
  for (const ProbeLine& one : found) EXPECT_FALSE(one.detail.empty()) << one.what;
  EXPECT_TRUE(finding(found, "kernelevolve-cuda").ok);
  finding(found, "cuda driver");
  finding(found, "cuda clocks");
  finding(found, "cuda compiler");
  EXPECT_NE(
      finding(cuda::probe_cuda("/nowhere"), "kernelevolve-cuda").detail.find("build or install it"),
      std::string::npos);
}

TEST(CudaWorker, without_a_driver_it_says_so) {
  if (load_driver()) GTEST_SKIP() << "this machine has a driver";
  const auto made = cuda::make_cuda_evaluator(std::make_shared<Task>(), Reference{}, GpuOptions{});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().failure, ke::Failure::device);
  EXPECT_NE(made.error().message.find("driver"), std::string::npos);
}

TEST(CudaWorker, requests_and_answers_travel) {
  WorkerRequest request;
  request.kind = WorkerRequest::Kind::call;
  request.offsets = {0, 256, 1024};
  request.plan.scratch_bytes = {64};
  request.plan.steps.resize(1);
  request.plan.steps[0].kernel = "k";
  const auto back = decode<WorkerRequest>(encode(request));
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), encode(request));
  WorkerAnswer answer;
  answer.status = illegal_address;
  answer.parameter_bytes = {8, 8, 128};
  const auto said = decode<WorkerAnswer>(encode(answer));
  ASSERT_TRUE(said);
  EXPECT_EQ(said->parameter_bytes.back(), 128);
}

}  // namespace
}  // namespace ke::gpu
