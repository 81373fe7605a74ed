// Rules that a task states: elements that may miss, and libraries that kernels may call.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/fitness/cpu/axpb_evaluator.hpp"

namespace ke {
namespace {

Task finite_axpb(const std::string& name) {
  Task task = *test::axpb_task();
  for (TensorSpec& tensor : task.tensors) std::erase(tensor.classes, "nan_inf");
  task.content_hash = sha256(name);
  return task;
}

/// Judges a kernel at every shape, without timing.
Fact checked(const Task& task, const std::string& source) {
  auto fact = test::cpu_evaluator(std::make_shared<const Task>(task))
                  ->run_job(test::kernel_job(JobKind::screen, source));
  EXPECT_TRUE(fact);
  return *std::move(fact);
}

/// Writes zeros into the last part of its output.
std::string zeros_behind(const std::string& count) {
  return test::axpb_source("", "  for (std::size_t i = " + count + "; i < n; ++i) out[i] = 0;\n");
}

const std::string one_per_cent_off = zeros_behind("n - n / 100");

TEST(RulesOfATask, a_kernel_with_one_per_cent_wrong_is_wrong_by_default) {
  const Fact fact = checked(finite_axpb("all"), one_per_cent_off);
  EXPECT_EQ(fact.verdict, Verdict::wrong_result);
  EXPECT_EQ(fact.reason, "mismatch");
}

TEST(RulesOfATask, a_matched_ratio_accepts_it_and_a_largest_error_does_not) {
  Task task = finite_axpb("share");
  task.tolerance.matched_ratio = 0.98;
  task.tolerance.relative_l2 = std::numeric_limits<double>::infinity();
  const Fact right = checked(task, one_per_cent_off);
  EXPECT_EQ(right.verdict, Verdict::ok) << right.reason << ": " << right.message;
  EXPECT_EQ(checked(task, zeros_behind("n - n / 40")).verdict, Verdict::wrong_result);
  task.tolerance.max_error = 0.5;  // edits make elements so large that their rounding is near 1e-3
  task.content_hash = sha256("share and largest error");
  EXPECT_EQ(checked(task, one_per_cent_off).verdict, Verdict::wrong_result);
  const Fact exact = checked(task, test::axpb_source());
  EXPECT_EQ(exact.verdict, Verdict::ok) << exact.reason << ": " << exact.message;
}

const std::string calls_blas =
    "#include <cstddef>\n"
    "extern \"C\" void cblas_saxpy(int n, float a, const float* x, int, float* y, int);\n"
    "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
    "  for (std::size_t i = 0; i < n; ++i) out[i] = 1;\n"
    "  cblas_saxpy(static_cast<int>(n), 2, in, 1, out, 1);\n}\n";

TEST(RulesOfATask, a_library_is_called_only_where_the_task_allows_it) {
  Task task = finite_axpb("libraries");
  const Fact refused = checked(task, calls_blas);
  EXPECT_EQ(refused.verdict, Verdict::rejected);
  EXPECT_EQ(refused.reason, "forbidden_symbol");
  EXPECT_THAT(refused.message, testing::HasSubstr("cblas_saxpy"));
  task.libraries = true;
  task.content_hash = sha256("libraries allowed");
  const Fact right = checked(task, calls_blas);
  EXPECT_EQ(right.verdict, Verdict::ok) << right.reason << ": " << right.message;
}

TEST(RulesOfATask, other_symbols_stay_forbidden_where_libraries_are_allowed) {
  Task task = finite_axpb("libraries allowed, others not");
  task.libraries = true;
  for (const char* name : {"system", "cblas_xerbla", "openblas_set_num_threads"}) {
    const std::string declared = fmt::format("extern \"C\" int {}(const char*);\n", name);
    const std::string call = fmt::format("  {}(\"\");\n", name);
    const Fact fact = checked(task, declared + test::axpb_source(call));
    EXPECT_EQ(fact.verdict, Verdict::rejected) << name;
    EXPECT_EQ(fact.reason, "forbidden_symbol") << name;
  }
}

}  // namespace
}  // namespace ke
