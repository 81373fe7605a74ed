#include "core/numeric/numeric_strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/result.hpp"

namespace ke {
namespace {

struct Named {
  const char* name;
  Ranking ranking;
};
using Value = Ranking::Value;
constexpr std::array<Named, 6> names = {{{"imp", {Value::gain, false}},
                                         {"2imp", {Value::gain, true}},
                                         {"obj", {Value::objective, false}},
                                         {"2obj", {Value::objective, true}},
                                         {"rd", {Value::direction, false}},
                                         {"2rd", {Value::direction, true}}}};

double value_of(const Ranking& ranking, const EmitterResults& results,
                std::span<const double> direction, std::size_t row) {
  if (ranking.value == Value::gain) return results.additions[row].gain;
  if (ranking.value == Value::objective) return results.objectives[row];
  const std::span<const double> measures = results.measures[row];
  return std::inner_product(measures.begin(), measures.end(), direction.begin(), 0.0);
}

class StrategyEmitter final : public Emitter {
 public:
  StrategyEmitter(const SearchSpace& space, const StrategyEmitterOptions& options)
      : options_(options),
        strategy_(options.separable ? make_separable_cma(space, options.size)
                                    : make_full_cma(space, options.size)) {
    strategy_->reset(std::vector<double>(space.dimensions, space.start));
  }
  std::size_t batch() const override { return options_.size.batch; }

  void ask(const NumericArchive&, NormalSource& random, std::span<double> solutions) override {
    strategy_->ask(random, solutions);
  }

  void tell(const NumericArchive& archive, NormalSource& random, Rows solutions,
            const EmitterResults& results) override {
    if (direction_.empty()) point_anywhere(results.measures.width, random);
    const Ranked ranked = rank(options_.ranking, results, direction_);
    const auto entered = static_cast<std::size_t>(
        std::count_if(results.additions.begin(), results.additions.end(),
                      [](const auto& a) { return a.status != NumericStatus::rejected; }));
    const bool filter = options_.selection == Selection::filter;
    strategy_->tell(solutions, ranked.order, filter ? entered : batch() / 2);
    const bool fruitless = options_.restart == Restart::no_improvement && entered == 0;
    const bool flat = batch() >= 2 && ranked.spread < 1e-12;
    if ((fruitless || flat || strategy_->degenerate()) && archive.filled() > 0) {
      strategy_->reset(archive.solution(static_cast<std::size_t>(random.below(archive.filled()))));
      direction_.clear();
    }
  }

 private:
  void point_anywhere(std::size_t measures, NormalSource& random) {
    direction_.resize(measures);
    random.fill(direction_);
  }

  StrategyEmitterOptions options_;
  std::unique_ptr<EvolutionStrategy> strategy_;
  std::vector<double> direction_;  ///< in measure space; redrawn after a restart
};

}  // namespace

Ranking ranking_of(const std::string& name) {
  for (const Named& named : names) {
    if (name == named.name) return named.ranking;
  }
  KE_CHECK(name == "2imp");
  return {};
}

std::vector<std::string> ranking_names() {
  std::vector<std::string> list;
  for (const Named& named : names) list.emplace_back(named.name);
  return list;
}

Ranked rank(const Ranking& ranking, const EmitterResults& results,
            std::span<const double> direction) {
  const std::size_t rows = results.objectives.size();
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = value_of(ranking, results, direction, i);
  const auto stage = [&](std::uint32_t row) {
    return ranking.two_stage ? static_cast<int>(results.additions[row].status) : 0;
  };
  Ranked ranked;
  ranked.order.resize(rows);
  std::iota(ranked.order.begin(), ranked.order.end(), 0u);
  std::stable_sort(ranked.order.begin(), ranked.order.end(), [&](auto a, auto b) {
    return stage(a) != stage(b) ? stage(a) > stage(b) : values[a] > values[b];
  });
  if (rows == 0) return ranked;
  const std::uint32_t first = ranked.order.front();
  const std::uint32_t last = ranked.order.back();
  const double stages = stage(first) - stage(last);
  const double distance = values[first] - values[last];
  ranked.spread = std::sqrt(stages * stages + distance * distance);
  return ranked;
}

std::unique_ptr<Emitter> make_strategy_emitter(const SearchSpace& space,
                                               const StrategyEmitterOptions& options) {
  return std::make_unique<StrategyEmitter>(space, options);
}

namespace {

#define KE_NUMERIC(name, doc) {#name, doc, &make_##name##_numeric_strategy},
constexpr Component<NumericStrategyFactory> table[] = {
#include "core/numeric/strategies/numeric_strategies.def"
};
#undef KE_NUMERIC

StrategyEmitterOptions read_emitter(Params& params, const CmaDefaults& defaults) {
  StrategyEmitterOptions options;
  options.size.batch = static_cast<std::size_t>(
      params.integer("batch", 36, {2, 100'000}, "solutions of one emitter in one iteration"));
  options.size.sigma0 = params.real("sigma", 0.5, {1e-12, 1e12}, "first step size");
  options.separable = params.choice("es", "full", {"full", "separable"},
                                    "covariance: full or diagonal") == "separable";
  options.size.rank_one =
      params.choice("rank_one", "squared", {"squared", "standard"},
                    "weight of the rank-one update: c1 squared, as the reference "
                    "implementation has it, or c1") == "squared"
          ? RankOne::squared
          : RankOne::standard;
  options.ranking = ranking_of(params.choice("ranking", defaults.ranking, ranking_names(),
                                             "what the strategy maximises; 2...: by stages"));
  options.selection = params.choice("selection", defaults.selection, {"mu", "filter"},
                                    "parents: the better half, or what entered the archive") == "mu"
                          ? Selection::mu
                          : Selection::filter;
  options.restart = params.choice("restart", defaults.restart, {"no_improvement", "basic"},
                                  "restart when nothing entered the archive, or only when the "
                                  "strategy is degenerate or flat") == "basic"
                        ? Restart::basic
                        : Restart::no_improvement;
  return options;
}

}  // namespace

std::span<const Component<NumericStrategyFactory>> numeric_strategies() { return table; }

NumericStrategy read_numeric_strategy(Params& params) {
  NumericStrategy strategy;
  strategy.iterations =
      params.integer("iterations", 1000, {1, 100'000'000}, "batches of all emitters");
  strategy.start = params.real("start", 0, {-1e12, 1e12}, "coordinates of the first parent");
  return strategy;
}

std::function<std::vector<std::unique_ptr<Emitter>>(const SearchSpace&)> several(
    std::int64_t count, std::function<std::unique_ptr<Emitter>(const SearchSpace&)> make) {
  return [count, make = std::move(make)](const SearchSpace& space) {
    std::vector<std::unique_ptr<Emitter>> list;
    for (std::int64_t i = 0; i < count; ++i) list.push_back(make(space));
    return list;
  };
}

NumericStrategy read_cma_strategy(Params& params, const CmaDefaults& defaults) {
  NumericStrategy strategy = read_numeric_strategy(params);
  const std::int64_t count = params.integer("emitters", 15, {1, 10'000}, "emitters of a batch");
  const StrategyEmitterOptions options = read_emitter(params, defaults);
  strategy.emitters = several(
      count, [options](const SearchSpace& space) { return make_strategy_emitter(space, options); });
  return strategy;
}

}  // namespace ke
