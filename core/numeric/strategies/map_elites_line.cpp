#include "core/numeric/numeric_strategy.hpp"

namespace ke {

NumericStrategy make_map_elites_line_numeric_strategy(Params& params) {
  NumericStrategy strategy = read_numeric_strategy(params);
  const std::int64_t count = params.integer("emitters", 1, {1, 10'000}, "emitters of a batch");
  LineOptions options;
  options.batch = static_cast<std::size_t>(
      params.integer("batch", 540, {1, 1'000'000}, "solutions of one emitter in one iteration"));
  options.iso = params.real("sigma", 0.5, {0, 1e12}, "deviation of the noise");
  options.line = params.real("line_sigma", 0.2, {0, 1e12}, "deviation along the line of parents");
  strategy.emitters = several(
      count, [options](const SearchSpace& space) { return make_line_emitter(space, options); });
  return strategy;
}

}  // namespace ke
