#include "core/numeric/numeric_strategy.hpp"

namespace ke {
namespace {

/// Defaults that differ between CMA-ME and CMA-MAE.
struct CmaDefaults {
  const char* ranking;
  const char* selection;
  const char* restart;
};

StrategyEmitterOptions read_emitter(Params& params, const CmaDefaults& defaults) {
  StrategyEmitterOptions options;
  options.size.batch = static_cast<std::size_t>(
      params.integer("batch", 36, {2, 100'000}, "solutions of one emitter in one iteration"));
  options.size.sigma0 = params.real("sigma", 0.5, {1e-12, 1e12}, "first step size");
  options.separable = params.choice("es", "full", {"full", "separable"},
                                    "covariance: full or diagonal") == "separable";
  options.size.rank_one =
      params.choice_of<RankOne>("rank_one", "squared", {"squared", "standard"},
                                "weight of the rank-one update: c1 squared, as the reference "
                                "implementation has it, or c1");
  options.ranking = ranking_of(params.choice("ranking", defaults.ranking, ranking_names(),
                                             "what the strategy maximises; 2...: by stages"));
  options.selection =
      params.choice_of<Selection>("selection", defaults.selection, {"mu", "filter"},
                                  "parents: the better half, or what entered the archive");
  options.restart =
      params.choice_of<Restart>("restart", defaults.restart, {"no_improvement", "basic"},
                                "restart when nothing entered the archive, or only when the "
                                "strategy is degenerate or flat");
  return options;
}

/// Reads `iterations` and `start`, the options of all numeric strategies.
NumericStrategy read_numeric_strategy(Params& params) {
  NumericStrategy strategy;
  strategy.iterations =
      params.integer("iterations", 1000, {1, 100'000'000}, "batches of all emitters");
  strategy.start = params.real("start", 0, {-1e12, 1e12}, "coordinates of the first parent");
  return strategy;
}

/// A factory of `count` emitters, each created by `make`.
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

NumericStrategy cma_me(Params& params) {
  return read_cma_strategy(params, {"2imp", "filter", "no_improvement"});
}

NumericStrategy cma_mae(Params& params) {
  NumericStrategy strategy = read_cma_strategy(params, {"imp", "mu", "basic"});
  SoftRule soft;
  soft.rate = params.real("learning_rate", 0.01, {0, 1}, "how fast thresholds follow (alpha)");
  soft.floor =
      params.real("threshold_min", 0, {-1e300, 1e300}, "objective that an empty cell asks for");
  strategy.soft = soft;
  return strategy;
}

/// Options of both kinds of MAP-Elites, by one emitter's.
struct EliteEmitters {
  NumericStrategy strategy;
  std::int64_t count = 1;
  std::size_t batch = 0;
  double sigma = 0;
};

EliteEmitters read_elite_emitters(Params& params) {
  EliteEmitters read{.strategy = read_numeric_strategy(params)};
  read.count = params.integer("emitters", 1, {1, 10'000}, "emitters of a batch");
  read.batch = static_cast<std::size_t>(
      params.integer("batch", 540, {1, 1'000'000}, "solutions of one emitter in one iteration"));
  read.sigma = params.real("sigma", 0.5, {0, 1e12}, "deviation of the noise");
  return read;
}

NumericStrategy map_elites_gaussian(Params& params) {
  auto [strategy, count, batch, sigma] = read_elite_emitters(params);
  const GaussianOptions options{.batch = batch, .sigma = sigma};
  strategy.emitters = several(
      count, [options](const SearchSpace& space) { return make_gaussian_emitter(space, options); });
  return std::move(strategy);
}

NumericStrategy map_elites_line(Params& params) {
  auto [strategy, count, batch, sigma] = read_elite_emitters(params);
  LineOptions options{.batch = batch, .iso = sigma};
  options.line = params.real("line_sigma", 0.2, {0, 1e12}, "deviation along the line of parents");
  strategy.emitters = several(
      count, [options](const SearchSpace& space) { return make_line_emitter(space, options); });
  return std::move(strategy);
}

constexpr Component<NumericStrategyFactory> table_of_numeric_strategies[] = {
    {"cma_mae", "CMA-ES emitters on a soft archive [Fontaine2023]; numeric problems alone",
     cma_mae},
    {"cma_me", "CMA-ES emitters ranked by improvement [Fontaine2020]; numeric problems alone",
     cma_me},
    {"map_elites_gaussian", "MAP-Elites with normal noise [Mouret2015]; numeric problems alone",
     map_elites_gaussian},
    {"map_elites_line", "MAP-Elites with Iso+LineDD [Vassiliades2018]; numeric problems alone",
     map_elites_line}};

}  // namespace

std::span<const Component<NumericStrategyFactory>> numeric_strategies() {
  return table_of_numeric_strategies;
}

}  // namespace ke
