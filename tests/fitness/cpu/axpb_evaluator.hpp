#pragma once
// Evaluators and jobs for kernels on the CPU, and a suite whose tests share one evaluator of the
// task axpb.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "fitness/cpu/cpu_evaluator.hpp"
#include "tests/fitness/cpu/axpb_task.hpp"
#include "tests/support/judge_kernel.hpp"

namespace ke::test {

inline std::unique_ptr<CpuEvaluator> cpu_evaluator(std::shared_ptr<const Task> task,
                                                   CpuOptions options = {}) {
  options.tools_dir = KE_BINARY_DIR;
  auto made = make_cpu_evaluator(std::move(task), options);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *std::move(made) : nullptr;
}

/// A job for the kernel of a source; an empty opponent is none.
inline Job kernel_job(JobKind kind, const std::string& source, const std::string& opponent = "",
                      std::vector<std::string> roles = {}) {
  Job job;
  job.kind = kind;
  job.kernel = *kernel_of_source("candidate", source, {});
  if (!opponent.empty()) job.opponent = Opponent{opponent, std::nullopt};
  job.roles = std::move(roles);
  job.key = digest_of(job);
  return job;
}

class AxpbEvaluator : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    CpuOptions options;
    options.call_limit_ms = 300;
    evaluator = cpu_evaluator(axpb_task(), options).release();
    ASSERT_NE(evaluator, nullptr);
  }
  static void TearDownTestSuite() {
    delete evaluator;
    evaluator = nullptr;
    siginfo_t info;
    EXPECT_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
    EXPECT_EQ(errno, ECHILD) << "a child process was left behind";
  }

  inline static CpuEvaluator* evaluator = nullptr;
};

}  // namespace ke::test
