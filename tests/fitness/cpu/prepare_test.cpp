// Kernels that prepack unchanging inputs, through the evaluator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/fitness/cpu/axpb_evaluator.hpp"
#include "tests/fitness/cpu/quiet_moment.hpp"

namespace ke {
namespace {

using testing::Contains;
using testing::StartsWith;

// y = x w, elementwise; w never changes.
std::shared_ptr<const Task> weighted_task() {
  auto task = std::make_shared<Task>(*test::axpb_task());
  task->name = "weighted";
  task->signature = {"x", "w", "y", "n"};
  task->tensors = {test::vector_of_n("x", false), test::vector_of_n("w", false),
                   test::vector_of_n("y", true)};
  task->tensors[1].classes = {"normal", "positive"};
  task->tensors[1].changes = false;
  task->reference_source =
      "#include <cstddef>\n"
      "extern \"C\" void reference(const double* x, const double* w, double* y, std::size_t n) {\n"
      "  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * w[i];\n}\n";
  const std::string naive =
      "#include <cstddef>\n"
      "extern \"C\" void kernel(const float* x, const float* w, float* y, std::size_t n) {\n"
      "  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * w[i];\n}\n";
  task->kernels = {{"naive", naive}, {"anchor", "// @flags -O3\n" + naive}};
  task->content_hash = sha256("weighted for tests");
  return task;
}

// A kernel that reads a copy of w made by prepare.
std::string copying(const std::string& prepare, const std::string& before = "") {
  return "#include <cstddef>\n#include <xmmintrin.h>\nstatic float kept[200000];\n"
         "static bool known = false;\n"
         "extern \"C\" void prepare(const float* w, std::size_t n) {\n" +
         prepare +
         "}\nextern \"C\" void kernel(const float* x, const float* w, float* y, std::size_t n) "
         "{\n" +
         before + "  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * kept[i];\n  (void)w;\n}\n";
}

const std::string copy_all = "  for (std::size_t i = 0; i < n; ++i) kept[i] = w[i];\n";

Fact judged(const std::string& source, JobKind kind = JobKind::screen,
            std::shared_ptr<const Task> task = weighted_task()) {
  CpuOptions options;
  options.call_limit_ms = 300;
  std::vector<std::string> roles;
  if (kind == JobKind::screen) roles = {"bench"};
  return *test::cpu_evaluator(std::move(task), options)
              ->run_job(test::kernel_job(kind, source, "anchor", roles));
}

TEST(Prepare, is_called_before_the_kernel_and_not_timed_with_it) {
  const std::string dear = "  for (volatile int spin = 0; spin < 20000000; ++spin) {}\n";
  const Fact fact = test::in_a_quiet_moment([&] { return judged(copying(copy_all + dear)); });
  if (fact.verdict == Verdict::unreliable) GTEST_SKIP() << test::too_busy;
  ASSERT_EQ(fact.verdict, Verdict::ok) << fact.reason << ": " << fact.message;
  EXPECT_THAT(fact.policy_flags, Contains("prepares"));
  ASSERT_TRUE(fact.comparison);
  const double kernel_ns = fact.comparison->workloads.at(0).candidate_ns;
  const auto feedback = nlohmann::json::parse(fact.feedback);
  EXPECT_GT(feedback.at("preparation_ns").at("n=200000").get<double>(), 10 * kernel_ns);
}

TEST(Prepare, must_be_right) {
  const Fact fact = judged(copying("  for (std::size_t i = 0; i < n / 2; ++i) kept[i] = w[i];\n"));
  EXPECT_EQ(fact.verdict, Verdict::wrong_result) << fact.message;
}

TEST(Prepare, is_called_again_when_the_inputs_are_others) {
  const Fact fact = judged(copying("  if (n < 100000 || !known) {\n" + copy_all +
                                   "    if (n >= 100000) known = true;\n  }\n"));
  EXPECT_EQ(fact.verdict, Verdict::wrong_result) << fact.message;
}

TEST(Prepare, what_a_kernel_keeps_untold_is_wrong_one_day) {
  const std::string source =
      "#include <cstddef>\nstatic float kept[200000];\nstatic bool known = false;\n"
      "extern \"C\" void kernel(const float* x, const float* w, float* y, std::size_t n) {\n"
      "  if (n == 200000 && !known) {\n" +
      copy_all +
      "    known = true;\n  }\n  const float* from = n == 200000 ? kept : w;\n"
      "  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * from[i];\n}\n";
  const Fact fact = judged(source);
  EXPECT_EQ(fact.verdict, Verdict::wrong_result) << fact.message;
}

TEST(Prepare, its_crash_is_the_candidates) {
  const Fact fact = judged(
      copying("  kept[0] = *static_cast<const volatile float*>(nullptr);\n  (void)w, (void)n;\n"));
  EXPECT_EQ(fact.verdict, Verdict::runtime_error) << fact.reason;
  EXPECT_THAT(fact.message, StartsWith("prepare: "));
}

TEST(Prepare, leaves_the_floating_point_modes_alone) {
  const Fact fact = judged(copying(copy_all + "  _mm_setcsr(_mm_getcsr() | 0x8040);\n"));
  EXPECT_EQ(fact.reason, "float_environment") << fact.message;
}

TEST(Prepare, is_refused_where_every_input_changes) {
  const Fact fact = judged("extern \"C\" void prepare() {}\n" + test::axpb_source(),
                           JobKind::screen, test::axpb_task());
  EXPECT_EQ(fact.verdict, Verdict::rejected);
  EXPECT_EQ(fact.reason, "nothing_to_prepare") << fact.message;
}

TEST(Prepare, runs_under_the_sanitizers_too) {
  EXPECT_EQ(judged(copying(copy_all), JobKind::sanitize).message, "clean");
  const Fact fact =
      judged(copying(copy_all + "  if (w[n] == 3.0f) kept[0] = 0;\n"), JobKind::sanitize);
  EXPECT_EQ(fact.reason, "sanitizer_address") << fact.message;
}

}  // namespace
}  // namespace ke
