#pragma once
// A suite whose tests share one evaluator of the task axpb.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "fitness/cpu/cpu_evaluator.hpp"
#include "tests/fitness/cpu/axpb_task.hpp"

namespace ke::test {

class AxpbEvaluator : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    CpuOptions options;
    options.tools_dir = KE_BINARY_DIR;
    options.call_limit_ms = 300;
    auto made = make_cpu_evaluator(axpb_task(), options);
    ASSERT_TRUE(made) << made.error().message;
    evaluator = std::move(*made).release();
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
