// Kernels over int64, float64, bool, int8 and uint8 tensors, compiled and judged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/fitness/content/sample_tasks.hpp"
#include "tests/fitness/cpu/axpb_evaluator.hpp"

namespace ke {
namespace {

using testing::HasSubstr;

class ElementTypes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Task task = sample::task(sample::mixed_text());
    evaluator_ = test::cpu_evaluator(std::make_shared<const Task>(task)).release();
    ASSERT_NE(evaluator_, nullptr);
  }
  static void TearDownTestSuite() {
    delete evaluator_;
    evaluator_ = nullptr;
  }
  /// Judges the right kernel with one text replaced by another.
  static Fact judge(const std::string& from = "", const std::string& to = "") {
    auto fact = evaluator_->run_job(test::kernel_job(
        JobKind::screen, sample::replaced(sample::mixed_kernel(), from, to), "anchor", {"test"}));
    EXPECT_TRUE(fact) << fact.error().message;
    return *std::move(fact);
  }
  inline static CpuEvaluator* evaluator_ = nullptr;
};

TEST_F(ElementTypes, a_right_kernel_is_right) {
  const Fact fact = judge();
  EXPECT_EQ(fact.verdict, Verdict::ok) << fact.reason << ": " << fact.message << fact.feedback;
}

TEST_F(ElementTypes, sums_of_32_bits_are_wrong) {
  const Fact fact = judge("std::int64_t total", "int total");
  EXPECT_EQ(fact.verdict, Verdict::wrong_result) << fact.message;
  EXPECT_THAT(fact.message + fact.feedback, HasSubstr("sum"));
}

TEST_F(ElementTypes, single_precision_is_wrong_for_float64) {
  for (const char* wrong : {"float(x[i]) * x[i] + bias[0]", "float(x[i] * x[i] + bias[0])",
                            "x[i] * x[i] + float(bias[0])"}) {
    EXPECT_EQ(judge("x[i] * x[i] + bias[0]", wrong).verdict, Verdict::wrong_result) << wrong;
  }
}

TEST_F(ElementTypes, bool_is_0_or_1_and_nothing_else) {
  EXPECT_EQ(judge("high[i] = a[i] > (std::int64_t{1} << 33)",
                  "reinterpret_cast<char*>(high)[i] = a[i] > (std::int64_t{1} << 33) ? 2 : 0")
                .verdict,
            Verdict::wrong_result);
  EXPECT_EQ(judge("high[i] = a[i]", "high[i] = int(a[i])").verdict, Verdict::wrong_result);
}

TEST_F(ElementTypes, a_byte_is_not_to_be_saturated_or_left_out) {
  EXPECT_EQ(judge("less[i] = static_cast<std::int8_t>(s[i] - 1)",
                  "less[i] = s[i] > -127 ? static_cast<std::int8_t>(s[i] - 1) : -127")
                .verdict,
            Verdict::wrong_result);
  EXPECT_EQ(judge("twice[i] = ", "if (i > 0) twice[i] = ").verdict, Verdict::wrong_result);
}

}  // namespace
}  // namespace ke
