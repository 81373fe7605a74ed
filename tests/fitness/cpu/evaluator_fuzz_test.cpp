// Mutants of a right kernel against the whole evaluator: each gets a verdict without a crash, a
// hang or a leftover process, and an honest kernel is judged as before.

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "tests/fitness/cpu/axpb_evaluator.hpp"

namespace ke {
namespace {

using test::axpb_source;

constexpr int mutants = 30;  // mutants per kind

class CpuEvaluatorFuzz : public test::AxpbEvaluator {
 protected:
  void TearDown() override {
    EXPECT_EQ(judge(axpb_source()).verdict, Verdict::ok) << "an honest kernel after the mutants";
  }

  /// Fact of one screen, which takes no longer than compilation and all time limits together.
  static Fact judge(const std::string& source) {
    const Job job = test::kernel_job(JobKind::screen, source, "anchor");
    const auto start = std::chrono::steady_clock::now();
    auto fact = evaluator->run_job(job);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)) << source;
    EXPECT_TRUE(fact) << source;
    if (!fact) return {};
    EXPECT_EQ(fact->key, job.key);
    EXPECT_NE(fact->verdict, Verdict::lost) << fact->reason << ": " << fact->message << source;
    EXPECT_LE(fact->feedback.size(), 4096U);
    return *std::move(fact);
  }

  std::size_t below(std::size_t n) { return random_() % n; }

  std::mt19937 random_{20260101};
};

TEST_F(CpuEvaluatorFuzz, random_bytes_are_no_kernel) {
  for (int i = 0; i < mutants; ++i) {
    std::string source(1 + below(4000), '\0');
    for (char& byte : source) byte = static_cast<char>(below(256));
    EXPECT_NE(judge(source).verdict, Verdict::ok) << i;
  }
}

TEST_F(CpuEvaluatorFuzz, of_all_truncations_only_blanks_at_the_end_may_miss) {
  const std::string whole = axpb_source();
  const std::size_t end = whole.find_last_of('}');
  for (std::size_t length = 0; length <= end; length += 3) {
    EXPECT_NE(judge(whole.substr(0, length)).verdict, Verdict::ok) << length;
  }
}

TEST_F(CpuEvaluatorFuzz, changed_bytes_end_in_a_verdict) {
  for (int i = 0; i < mutants; ++i) {
    std::string source = axpb_source();
    for (std::size_t left = 1 + below(3); left > 0; --left) {
      source[below(source.size())] = static_cast<char>(below(256));
    }
    judge(source);
  }
}

TEST_F(CpuEvaluatorFuzz, machine_code_at_random_ends_in_a_verdict) {
  for (int i = 0; i < mutants; ++i) {
    std::string bytes = ".byte ";
    for (std::size_t left = below(16); left > 0; --left) {
      bytes += std::to_string(below(256)) + ", ";
    }
    const std::string code = "  asm volatile(\"" + bytes + std::to_string(below(256)) +
                             "\" : : : \"memory\", \"rax\", \"rcx\");\n";
    judge(below(2) == 0 ? axpb_source(code) : axpb_source("", code));
  }
}

// The closed form 2 x + 1 is the oracle: any other slope or offset exceeds its tolerance.
TEST_F(CpuEvaluatorFuzz, other_constants_are_wrong) {
  for (int i = 0; i < mutants; ++i) {
    const std::string wrong = std::to_string(2.001 + static_cast<double>(below(4000)) / 1000) + "f";
    std::string source = axpb_source();
    const bool slope = below(2) == 0;
    source.replace(source.find(slope ? "2.0f" : "1.0f"), 4, wrong);
    EXPECT_EQ(judge(source).verdict, Verdict::wrong_result) << source;
  }
}

}  // namespace
}  // namespace ke
