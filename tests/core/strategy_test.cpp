#include "core/strategy.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/registry.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

/// A fixed set of elites; add() changes nothing.
class FixedArchive final : public Archive {
 public:
  explicit FixedArchive(int count) {
    for (int i = 0; i < count; ++i) {
      auto candidate = std::make_shared<Candidate>();
      candidate->id = {i, 0, 0};
      candidate->evaluation.objective = i;
      elites_.push_back({static_cast<std::size_t>(i), candidate});
    }
  }
  OfferResult offer(const CandidatePtr&, Decision) override { return {}; }
  const std::vector<Elite>& elites() const override { return elites_; }
  std::size_t cells() const override { return 10; }
  std::size_t cell_of(const Candidate&) const override { return 0; }
  std::size_t clipped() const override { return 0; }

 private:
  std::vector<Elite> elites_;
};

const std::vector<OperatorChoice> choices = {
    {"knob_step", 1, 4}, {"knob_crossover", 2, 2}, {"random_restart", 0, 1}};

std::unique_ptr<Strategy> strategy_named(std::string_view name) {
  ParamLog log;
  Params params(nullptr, "", log);
  return find_component(strategies(), name)->make(params);
}

std::unique_ptr<Strategy> map_elites(const std::string& parent) {
  return test::make_component(strategies(), "map_elites", test::text_options({{"parent", parent}}));
}

Proposal ask(Strategy& strategy, const Archive& archive, std::int64_t step) {
  RandomStream random({1, 0, step, 0, Purpose::ask});
  return strategy.ask({step, 2, archive, choices}, random);
}

class EveryStrategy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, testing::ValuesIn(component_names(strategies())),
                         [](const auto& c) { return c.param; });

TEST_P(EveryStrategy, begins_with_the_seeds_and_copes_with_an_empty_archive) {
  const auto strategy = strategy_named(GetParam());
  const FixedArchive empty(0);
  EXPECT_EQ(ask(*strategy, empty, 0).operator_name, "seed_source");
  EXPECT_EQ(ask(*strategy, empty, 1).operator_name, "seed_source");
  EXPECT_EQ(ask(*strategy, empty, 2).operator_name, "random_restart");
}

TEST_P(EveryStrategy, names_known_operators_with_as_many_different_parents_as_they_need) {
  const auto strategy = strategy_named(GetParam());
  const FixedArchive archive(5);
  for (std::int64_t step = 2; step < 300; ++step) {
    const Proposal proposal = ask(*strategy, archive, step);
    std::set<LogicalId> parents;
    for (const Parent& parent : proposal.parents) parents.insert(parent.candidate->id);
    int arity = -1;
    for (const auto& choice : choices) {
      if (choice.name == proposal.operator_name) arity = choice.arity;
    }
    ASSERT_EQ(arity, static_cast<int>(proposal.parents.size()));
    EXPECT_EQ(parents.size(), proposal.parents.size());
  }
}

TEST_P(EveryStrategy, is_deterministic) {
  const auto one = strategy_named(GetParam());
  const auto two = strategy_named(GetParam());
  const FixedArchive archive(5);
  for (std::int64_t step = 0; step < 100; ++step) {
    const Proposal a = ask(*one, archive, step);
    const Proposal b = ask(*two, archive, step);
    EXPECT_EQ(a.operator_name, b.operator_name);
    ASSERT_EQ(a.parents.size(), b.parents.size());
    for (std::size_t i = 0; i < a.parents.size(); ++i) {
      EXPECT_EQ(a.parents[i].candidate, b.parents[i].candidate);
    }
  }
}

/// Counts how often each of five elites was the parent of a knob_step.
std::map<std::int64_t, int> parent_counts(Strategy& strategy) {
  const FixedArchive archive(5);
  std::map<std::int64_t, int> counts;
  for (std::int64_t step = 2; step < 14000; ++step) {
    const Proposal proposal = ask(strategy, archive, step);
    if (proposal.parents.size() == 1) ++counts[proposal.parents[0].candidate->id.step];
  }
  return counts;
}

TEST(MapElites, rank_selection_weighs_parents_by_their_rank) {
  auto counts = parent_counts(*map_elites("rank"));
  // Weights 1..5 of 15 over about 8000 draws.
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(counts[i] / 8000.0, (i + 1) / 15.0, 0.02) << i;
}

TEST(MapElites, curiosity_prefers_parents_whose_children_entered) {
  const auto strategy = map_elites("curiosity");
  auto child = std::make_shared<Candidate>();
  child->ancestors = {{{3, 0, 0}, ParentRole::parent}};
  OfferResult entered;
  entered.status = Addition::new_cell;
  for (int i = 0; i < 5; ++i) strategy->tell({child, entered});
  auto barren = std::make_shared<Candidate>();
  barren->ancestors = {{{0, 0, 0}, ParentRole::parent}};
  for (int i = 0; i < 5; ++i) strategy->tell({barren, {}});
  auto counts = parent_counts(*strategy);
  // Weights: elite 3 has 6, elite 0 has 0.1, the others 1: sum 9.1.
  EXPECT_NEAR(counts[3] / 8000.0, 6 / 9.1, 0.02);
  EXPECT_NEAR(counts[0] / 8000.0, 0.1 / 9.1, 0.01);
  EXPECT_NEAR(counts[1] / 8000.0, 1 / 9.1, 0.02);
}

/// A told child of elite `parent`.
Commit child_of(std::int64_t parent, std::int64_t step, double objective) {
  auto child = std::make_shared<Candidate>();
  child->id = {step, 0, 0};
  child->ancestors = {{{parent, 0, 0}, ParentRole::parent}};
  child->evaluation.verdict = Verdict::ok;
  child->evaluation.objective = objective;
  return {child, {}};
}

const std::vector<OperatorChoice> one_parent = {{"knob_step", 1, 1}};

std::int64_t puct_parent(Strategy& strategy, const Archive& archive) {
  RandomStream random({1, 0, 2, 0, Purpose::ask});
  return strategy.ask({2, 0, archive, one_parent}, random).parents.at(0).candidate->id.step;
}

TEST(MapElites, puct_visits_every_elite_and_the_better_ones_more_often) {
  const auto strategy = map_elites("puct");
  const FixedArchive archive(5);  // objectives 0 to 4
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 600; ++i) ++counts[puct_parent(*strategy, archive)];
  for (int i = 1; i < 5; ++i) EXPECT_GT(counts[i], counts[i - 1]) << i;
  EXPECT_GT(counts[0], 0);
}

TEST(MapElites, puct_returns_to_a_parent_whose_descendants_are_best) {
  const auto strategy = map_elites("puct");
  const FixedArchive archive(5);
  std::map<std::int64_t, int> before;
  for (int i = 0; i < 50; ++i) ++before[puct_parent(*strategy, archive)];
  strategy->tell(child_of(1, 100, 3));
  strategy->tell(child_of(100, 101, 50));  // a grandchild counts as well
  std::map<std::int64_t, int> after;
  for (int i = 0; i < 50; ++i) ++after[puct_parent(*strategy, archive)];
  EXPECT_GT(after[1], before[1] + 10);
}

TEST(MapElites, idle_operators_are_not_drawn) {
  const auto strategy = strategy_named("map_elites");
  const FixedArchive archive(5);
  std::vector<OperatorChoice> idle = choices;
  idle[0].idle = idle[1].idle = true;
  for (std::int64_t step = 2; step < 50; ++step) {
    RandomStream random({1, 0, step, 0, Purpose::ask});
    EXPECT_EQ(strategy->ask({step, 2, archive, idle}, random).operator_name, "random_restart");
  }
}

/// knob_step can only vary elite 3.
struct OnlyTheThird final : Abilities {
  bool suits(const OperatorChoice& choice, const Candidate& first) const override {
    return choice.name != "knob_step" || first.id.step == 3;
  }
};

TEST_P(EveryStrategy, gives_an_operator_no_first_parent_that_it_cannot_vary) {
  const auto strategy = strategy_named(GetParam());
  const FixedArchive archive(5);
  const OnlyTheThird abilities;
  for (std::int64_t step = 2; step < 300; ++step) {
    RandomStream random({1, 0, step, 0, Purpose::ask});
    const Proposal proposal =
        strategy->ask({step, 2, archive, choices, nullptr, &abilities}, random);
    if (proposal.operator_name != "knob_step") continue;
    EXPECT_EQ(proposal.parents.at(0).candidate->id.step, 3);
  }
}

std::shared_ptr<Candidate> seed(std::int64_t step, Verdict verdict) {
  auto candidate = std::make_shared<Candidate>();
  candidate->id = {step, 0, 0};
  candidate->operator_name = "seed_source";
  candidate->evaluation.verdict = verdict;
  return candidate;
}

TEST(Frozen, varies_each_seed_in_its_turn_and_no_child) {
  const auto strategy = strategy_named("frozen");
  const FixedArchive archive(5);
  strategy->tell({seed(0, Verdict::ok), {}});
  strategy->tell({seed(1, Verdict::ok), {}});
  auto child = seed(2, Verdict::ok);
  child->operator_name = "knob_step";
  child->evaluation.objective = 100;
  strategy->tell({child, {}});
  for (std::int64_t step = 2; step < 20; ++step) {
    const Proposal proposal = ask(*strategy, archive, step);
    EXPECT_EQ(proposal.operator_name, "knob_step") << "the one with one parent";
    ASSERT_EQ(proposal.parents.size(), 1u);
    EXPECT_EQ(proposal.parents[0].candidate->id.step, step % 2);
    EXPECT_EQ(proposal.parents[0].role, ParentRole::parent);
  }
}

TEST(Frozen, has_failed_seeds_repaired) {
  const auto strategy = strategy_named("frozen");
  const FixedArchive archive(5);
  strategy->tell({seed(0, Verdict::wrong_result), {}});
  const Proposal proposal = ask(*strategy, archive, 2);
  EXPECT_EQ(proposal.operator_name, "random_restart") << "the one that needs no parent";
  ASSERT_EQ(proposal.parents.size(), 1u);
  EXPECT_EQ(proposal.parents[0].role, ParentRole::failed);
  const Proposal later = ask(*strategy, archive, 3);
  EXPECT_TRUE(later.parents.empty()) << "seed 1 is not judged yet";
}

}  // namespace
}  // namespace ke
