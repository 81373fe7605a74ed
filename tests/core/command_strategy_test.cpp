#include <gmock/gmock.h>

#include "core/knob_space.hpp"
#include "core/registry.hpp"
#include "tests/support/cell_archive.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;

CandidatePtr kernel_with_knob() {
  constexpr const char* source = "// @knob N int {1, 2, 3} = 1\n// @flags -O3; -funroll-loops?\n";
  auto candidate = std::make_shared<Candidate>();
  auto space = std::make_shared<const KernelSpace>(*parse_kernel_space("k.cpp", source));
  candidate->kernel = space->defaults("k.cpp", source);
  candidate->space = space;
  candidate->evaluation.verdict = Verdict::ok;
  candidate->evaluation.objective = 2;
  candidate->evaluation.measures = {{"m0", 0}, {"m1", 0}};
  return candidate;
}

/// A sh program that reads start and one tell, then answers the ask.
class Asked {
 public:
  explicit Asked(const std::string& answer, const std::string& deadline = "5s") {
    const std::string script = "read a; echo {}; read b; echo {}; read c; " + answer + "; cat";
    strategy_ = test::make_component(strategies(), "command",
                                     test::options({{"program", test::list({"sh", "-c", script})},
                                                    {"deadline", test::scalar(deadline)}}));
    const CandidatePtr known = kernel_with_knob();
    strategy_->tell({known, archive_.offer(known, Decision::none)});
    RandomStream random({1, 0, 2, 0, Purpose::ask});
    proposal = strategy_->ask({2, 1, archive_, choices_}, random);
  }
  std::string failure() const {
    const auto failure = strategy_->failure();
    return failure ? failure->message : "";
  }

  Proposal proposal;

 private:
  std::vector<OperatorChoice> choices_ = {{"step", 1, 1}, {"fresh", 0, 1}, {"off", 0, 0}};
  CellArchive archive_{false};
  std::unique_ptr<Strategy> strategy_;
};

TEST(CommandStrategy, names_an_operator_and_parents) {
  const Asked asked("echo '{\"operator\": \"step\", \"parents\": [\"0.0.0\"]}'");
  EXPECT_EQ(asked.failure(), "");
  EXPECT_EQ(asked.proposal.operator_name, "step");
  ASSERT_EQ(asked.proposal.parents.size(), 1u);
  EXPECT_FALSE(asked.proposal.kernel);
}

TEST(CommandStrategy, asks_for_a_fresh_kernel_with_an_empty_answer) {
  const Asked asked("echo '{}'");
  EXPECT_EQ(asked.failure(), "");
  EXPECT_EQ(asked.proposal.operator_name, "fresh");
  EXPECT_TRUE(asked.proposal.parents.empty());
}

TEST(CommandStrategy, may_set_knobs_and_flags_itself) {
  const Asked asked(
      "echo '{\"knobs\": {\"N\": 3}, \"flags\": [\"-funroll-loops\"], \"of\": \"0.0.0\"}'");
  EXPECT_EQ(asked.failure(), "");
  ASSERT_TRUE(asked.proposal.kernel);
  EXPECT_EQ(asked.proposal.kernel->knobs.at("N"), "3");
  EXPECT_EQ(asked.proposal.kernel->flags, std::vector<std::string>{"-funroll-loops"});
  EXPECT_EQ(asked.proposal.parents.at(0).role, ParentRole::inspiration);
}

struct Wrong {
  const char* answer;
  const char* message;
};
class CommandStrategyRefuses : public ::testing::TestWithParam<Wrong> {};
TEST_P(CommandStrategyRefuses, and_says_why) {
  const Asked asked(GetParam().answer, "500ms");
  EXPECT_THAT(asked.failure(), HasSubstr(GetParam().message));
  EXPECT_EQ(asked.proposal.operator_name, "fresh") << "what is asked meanwhile is still sound";
}
INSTANTIATE_TEST_SUITE_P(
    Answers, CommandStrategyRefuses,
    ::testing::Values(Wrong{"exit 1", "died"}, Wrong{"sleep 9", "gave no answer within 500 ms"},
                      Wrong{"echo hello", "is no JSON object: hello"},
                      Wrong{"echo '{\"operator\": \"stepp\"}'", "names no operator of the island"},
                      Wrong{"echo '{\"operator\": \"off\"}'", "names no operator of the island"},
                      Wrong{"echo '{\"operator\": \"step\"}'", "has the wrong number of parents"},
                      Wrong{"echo '{\"operator\": \"step\", \"parents\": [\"9.9.9\"]}'",
                            "names \"9.9.9\", which is no working kernel"},
                      Wrong{"echo '{\"operator\": \"step\", \"parents\": 7}'", "names 7, which"},
                      Wrong{"echo '{\"knobs\": 7, \"of\": \"0.0.0\"}'", "has no map of knobs"},
                      Wrong{"echo '{\"knobs\": {}, \"flags\": 1, \"of\": \"0.0.0\"}'",
                            "has no map of knobs"},
                      Wrong{"echo '{\"knobs\": {}}'", "which is no working kernel"}));

}  // namespace
}  // namespace ke
