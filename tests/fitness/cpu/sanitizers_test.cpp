// Sanitizer runs through the evaluator; the oracle is the compiler's own runtime.

#include "fitness/cpu/sanitizers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fitness/cpu/axpb_evaluator.hpp"

namespace ke {
namespace {

using test::axpb_source;
using testing::HasSubstr;

Fact examined(const std::string& source) {
  return *test::cpu_evaluator(test::axpb_task())
              ->run_job(test::kernel_job(JobKind::sanitize, source));
}

TEST(Sanitizers, have_nothing_to_say_of_a_correct_kernel) {
  const Fact fact = examined(axpb_source());
  EXPECT_EQ(fact.verdict, Verdict::ok) << fact.reason;
  EXPECT_EQ(fact.message, "clean");
}

TEST(Sanitizers, see_a_read_beside_the_input) {
  const Fact fact =
      examined(axpb_source("", "  if (in[n] == 3.0f) out[0] = 2.0f * in[0] + 1.0f;\n"));
  EXPECT_EQ(fact.verdict, Verdict::suspicious) << fact.message;
  EXPECT_EQ(fact.reason, "sanitizer_address");
  EXPECT_THAT(fact.message, HasSubstr("heap-buffer-overflow (READ of size 4)"));
}

TEST(Sanitizers, see_a_write_before_the_output) {
  const Fact fact = examined(axpb_source("", "  out[-1] = 0;\n"));
  EXPECT_EQ(fact.reason, "sanitizer_address") << fact.message;
  EXPECT_THAT(fact.message, HasSubstr("heap-buffer-overflow (WRITE of size 4)"));
}

TEST(Sanitizers, are_not_fooled_by_helpers_named_like_functions_of_the_harness) {
  const Fact fact = examined(
      "extern \"C\" unsigned long fread(void*, unsigned long, unsigned long, void*) { return 0; "
      "}\n" +
      axpb_source("", "  out[-1] = 0;\n"));
  EXPECT_EQ(fact.reason, "sanitizer_address") << fact.message;
}

TEST(Sanitizers, see_undefined_behaviour) {
  const Fact fact =
      examined(axpb_source("  volatile int most = 2147483647;\n  most = most + 1;\n"));
  EXPECT_EQ(fact.reason, "sanitizer_undefined") << fact.message;
  EXPECT_THAT(fact.message, HasSubstr("signed integer overflow"));
}

}  // namespace
}  // namespace ke
