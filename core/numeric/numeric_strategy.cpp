#include "core/numeric/numeric_strategy.hpp"

namespace ke {
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
