#include "core/numeric/numeric_strategy.hpp"

namespace ke {

NumericStrategy make_map_elites_gaussian_numeric_strategy(Params& params) {
  NumericStrategy strategy = read_numeric_strategy(params);
  const std::int64_t count = params.integer("emitters", 1, {1, 10'000}, "emitters of a batch");
  GaussianOptions options;
  options.batch = static_cast<std::size_t>(
      params.integer("batch", 540, {1, 1'000'000}, "solutions of one emitter in one iteration"));
  options.sigma = params.real("sigma", 0.5, {0, 1e12}, "deviation of the noise");
  strategy.emitters = several(
      count, [options](const SearchSpace& space) { return make_gaussian_emitter(space, options); });
  return strategy;
}

}  // namespace ke
