#include "fitness/host/check.hpp"

#include <gtest/gtest.h>

#include "fitness/cpu/build_reference.hpp"
#include "fitness/sandbox/level.hpp"
#include "tests/fitness/cpu/axpb_task.hpp"

namespace ke {
namespace {

class CheckKernel : public testing::Test {
 protected:
  void SetUp() override {
    CompilerOptions options;
    options.tools_dir = KE_BINARY_DIR;
    const auto report = probe_sandbox(options.tools_dir);
    ASSERT_TRUE(report);
    options.level = report->level;
    compiler_ = std::make_unique<Compiler>(*Compiler::create(options));
    auto reference = build_reference(*task_, *compiler_, "/tmp");
    ASSERT_TRUE(reference) << reference.error().message;
    reference_ = std::make_unique<Reference>(std::move(*reference));
    contents_ = std::make_unique<Contents>(*Contents::create(*task_, *reference_));
    bench_.task = task_.get();
    bench_.contents = contents_.get();
    bench_.watchdog = &watchdog_;
    bench_.memory = &memory_;
    bench_.tools_dir = options.tools_dir;
    bench_.scratch = "/tmp";
    bench_.level = options.level;
  }

  Library library(const std::string& source) const {
    BuildRequest request;
    request.source = source;
    const auto built = compiler_->build(request);
    EXPECT_TRUE(built && built->ok());
    return {built ? built->shared_object : ""};
  }

  const std::shared_ptr<const Task> task_ = test::axpb_task();
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Reference> reference_;
  std::unique_ptr<Contents> contents_;
  Watchdog watchdog_;
  MemoryPool memory_;
  Bench bench_;
};

TEST_F(CheckKernel, finds_nothing_in_a_right_kernel) {
  const auto report = check_kernel(bench_, library(test::axpb_source()), Thoroughness::full);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->report.finding);
  EXPECT_FALSE(report->report.wrong);
}

TEST_F(CheckKernel, keeps_a_wrong_call_that_other_libraries_can_be_asked) {
  const Library right = library(test::axpb_source());
  const Library wrong = library(test::axpb_source("", "  out[n - 1] += 1;\n"));
  const Library crashing = library(test::axpb_source("  __builtin_trap();\n"));
  auto check = check_kernel(bench_, wrong, Thoroughness::full);
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_TRUE(check->report.finding);
  EXPECT_EQ(check->report.finding->verdict, Verdict::wrong_result);
  ASSERT_TRUE(check->report.wrong);
  const auto again = check->again();
  EXPECT_TRUE(again && again->mismatch);
  const WrongCall& call = *check->report.wrong;
  EXPECT_FALSE((*call_once(bench_, crashing, call))->mismatch);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(*call_once(bench_, right, call));
    EXPECT_TRUE((*call_once(bench_, wrong, call))->mismatch);
  }
}

}  // namespace
}  // namespace ke
