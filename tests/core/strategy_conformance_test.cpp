// Conformance suite for every strategy, played without a search loop against an island of points in
// [-1, 1]^10: an operator moves one parent slightly, mixes two, or draws a new point.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "core/registry.hpp"
#include "core/strategies/operator_choice.hpp"
#include "tests/support/cell_archive.hpp"
#include "tests/support/normal.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

constexpr std::size_t dimensions = 10;
using Point = std::vector<double>;

/// The island's response to proposals; shares of steps in [0, 1].
struct Weather {
  std::uint64_t seed = 3;
  std::int64_t lag = 0;
  std::int64_t steps = 400;
  double failures = 0;
  double no_child = 0;
  double duplicates = 0;
  std::int64_t migrant_every = 0;
  std::string selection = "weights";
  std::vector<OperatorChoice> operators = {
      {"step", 1, 4}, {"mix", 2, 2}, {"fresh", 0, 1}, {"never", 1, 0}};
};

std::unique_ptr<Strategy> make(const std::string& name) {
  Node node;
  if (name == "command") {
    node.set("program", test::scalar(KE_SOURCE_DIR "/tests/support/play_greedily.py"));
  }
  ParamLog log;
  Params params(&node, "", log);
  return find_component(strategies(), name)->make(params);
}

std::unique_ptr<OperatorSelection> make_selection(const std::string& kind) {
  const Node node = test::text_options({{"kind", kind}});
  ParamLog log;
  Params params(&node, "", log);
  auto selection = read_operator_choice(params);
  EXPECT_TRUE(log.errors.empty());
  return selection;
}

double objective(const Point& x) {
  double sum = 0;
  for (const double value : x) sum += (value - 0.7) * (value - 0.7);
  return 1 / (0.01 + sum);
}

class Island {
 public:
  Island(const std::string& strategy, Weather weather)
      : weather_(std::move(weather)),
        strategy_(make(strategy)),
        selection_(make_selection(weather_.selection)) {}

  void play() {
    for (std::int64_t step = 0; step < weather_.steps; ++step) {
      ask(step);
      if (static_cast<std::int64_t>(waiting_.size()) > weather_.lag) commit();
      if (weather_.migrant_every > 0 && step % weather_.migrant_every == 7) receive(step);
    }
    while (!waiting_.empty()) commit();
  }

  double best = 0;
  std::vector<std::string> log;  ///< one line per proposal
  std::size_t cells() const { return archive_.elites().size(); }

 private:
  void ask(std::int64_t step) {
    RandomStream random({weather_.seed, 0, step, 0, Purpose::ask});
    const Proposal proposal =
        strategy_->ask({step, 2, archive_, weather_.operators, selection_.get()}, random);
    check(proposal);
    std::string line = proposal.operator_name;
    for (const Parent& parent : proposal.parents) line += " " + parent.candidate->id.text();
    log.push_back(line);
    waiting_.push_back(make_candidate(proposal, step));
  }

  void check(const Proposal& proposal) {
    int arity = -1;
    for (const auto& choice : weather_.operators) {
      if (choice.name == proposal.operator_name && choice.weight > 0) arity = choice.arity;
    }
    // These two are always available.
    if (proposal.operator_name == "seed_source" || proposal.operator_name == "random_restart") {
      arity = 0;
    }
    const auto& parents = proposal.parents;
    const bool repairs = parents.size() == 1 && parents[0].role == ParentRole::failed;
    ASSERT_EQ(repairs ? 1 : arity, static_cast<int>(parents.size())) << proposal.operator_name;
    std::set<LogicalId> ids;
    for (const Parent& parent : proposal.parents) {
      EXPECT_TRUE(ids.insert(parent.candidate->id).second) << "parents of one child differ";
      EXPECT_TRUE(committed_.contains(parent.candidate->id)) << "known as of the lag";
      EXPECT_EQ(parent.candidate->evaluation.verdict != Verdict::ok, repairs);
    }
  }

  std::shared_ptr<Candidate> make_candidate(const Proposal& proposal, std::int64_t step) {
    RandomStream random({weather_.seed, 0, step, 0, Purpose::vary});
    auto candidate = std::make_shared<Candidate>();
    candidate->id = {step, 0, 0};
    candidate->operator_name = proposal.operator_name;
    for (const Parent& parent : proposal.parents) {
      candidate->ancestors.push_back({parent.candidate->id, parent.role});
    }
    fill(*candidate, point(proposal, random));
    const double luck = random.uniform();
    if (luck < weather_.failures) candidate->evaluation.verdict = Verdict::wrong_result;
    if (luck > 1 - weather_.no_child) {
      candidate->outcome = OutcomeKind::no_child;
      candidate->evaluation = {};
    } else if (luck > 1 - weather_.no_child - weather_.duplicates) {
      candidate->outcome = OutcomeKind::duplicate;
      candidate->duplicate_of = LogicalId{0, 0, 0};
    }
    return candidate;
  }

  static void fill(Candidate& candidate, const Point& x) {
    candidate.evaluation.verdict = Verdict::ok;
    candidate.evaluation.objective = objective(x);
    for (std::size_t i = 0; i < dimensions; ++i) {
      candidate.evaluation.measures["m" + std::to_string(i)] = x[i];
    }
  }

  static Point point(const Proposal& proposal, RandomStream& random) {
    Point x(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) {
      x[i] = 2 * random.uniform() - 1;
      const std::size_t parents = proposal.parents.size();
      if (parents == 0) continue;
      const auto& parent = *proposal.parents[random.below(parents)].candidate;
      x[i] = parent.evaluation.measures.at("m" + std::to_string(i));
      if (parents == 1) x[i] = std::clamp(x[i] + 0.1 * test::standard_normal(random), -1.0, 1.0);
    }
    return x;
  }

  void commit() {
    tell(waiting_.front());
    waiting_.pop_front();
  }

  void receive(std::int64_t step) {
    auto migrant = std::make_shared<Candidate>();
    migrant->id = {step, 1, 0};
    migrant->operator_name = "step";
    migrant->ancestors = {{{step / 2, 1, 0}, ParentRole::parent}};
    fill(*migrant, Point(dimensions, 0.1));
    tell(migrant);
  }

  void tell(const CandidatePtr& candidate) {
    committed_.insert(candidate->id);
    OfferResult added;
    if (candidate->evaluation.verdict == Verdict::ok &&
        candidate->outcome != OutcomeKind::no_child) {
      added = archive_.offer(candidate, Decision::none);
      best = std::max(best, candidate->evaluation.objective);
    }
    strategy_->tell({candidate, added});
    if (selection_) selection_->tell({candidate, added});
  }

  Weather weather_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<OperatorSelection> selection_;
  CellArchive archive_{false};
  std::deque<CandidatePtr> waiting_;
  std::set<LogicalId> committed_;
};

class StrategyConformance : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, StrategyConformance, testing::ValuesIn(component_names(strategies())),
                         [](const auto& c) { return c.param; });

TEST_P(StrategyConformance, survives_failures_duplicates_migrants_and_lag) {
  for (const std::int64_t lag : {0, 1, 7, 40}) {
    Weather weather;
    weather.lag = lag;
    weather.failures = 0.3;
    weather.no_child = 0.2;
    weather.duplicates = 0.2;
    weather.migrant_every = 25;
    Island island(GetParam(), weather);
    island.play();
    EXPECT_GT(island.best, 0);
  }
}

TEST_P(StrategyConformance, survives_an_island_where_nothing_ever_works) {
  for (const double failures : {1.0, 0.0}) {
    Weather weather;
    weather.failures = failures;
    weather.no_child = 1 - failures;
    Island island(GetParam(), weather);
    island.play();
    EXPECT_EQ(island.best, 0);
  }
}

TEST_P(StrategyConformance, needs_no_operator_of_a_certain_kind) {
  for (const auto& choices : std::vector<std::vector<OperatorChoice>>{
           {{"step", 1, 1}}, {{"mix", 2, 1}}, {{"fresh", 0, 1}}, {{"step", 1, 0}}}) {
    Weather weather;
    weather.operators = choices;
    weather.failures = 0.1;
    Island island(GetParam(), weather);
    island.play();
  }
}

TEST_P(StrategyConformance, equal_tells_give_equal_asks) {
  for (const std::string selection :
       {"weights", "ucb", "probability_matching", "adaptive_pursuit", "gain"}) {
    Weather weather;
    weather.lag = 3;
    weather.failures = 0.2;
    weather.selection = selection;
    Island one(GetParam(), weather);
    Island two(GetParam(), weather);
    one.play();
    two.play();
    EXPECT_EQ(one.log, two.log) << selection;
  }
}

struct Means {
  double best = 0;
  double cells = 0;
};

Means play(const std::string& strategy) {
  Means means;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Weather weather;
    weather.seed = seed;
    weather.steps = 600;
    Island island(strategy, weather);
    island.play();
    means.best += island.best / 5;
    means.cells += static_cast<double>(island.cells()) / 5;
  }
  return means;
}

TEST_P(StrategyConformance, climbs_better_than_random_search) {
  const std::set<std::string> others = {"random", "novelty", "frozen"};  // not designed to climb
  if (others.contains(GetParam())) return;
  EXPECT_GT(play(GetParam()).best, 1.3 * play("random").best);
}

TEST(Novelty, spreads_wider_than_what_climbs) {
  const Means novelty = play("novelty");
  EXPECT_GT(novelty.cells, play("greedy").cells);
  EXPECT_GT(novelty.cells, play("genetic").cells);
  EXPECT_GT(novelty.cells, play("simulated_annealing").cells);
}

}  // namespace
}  // namespace ke
