#include "core/numeric/numeric_strategy.hpp"

namespace ke {

NumericStrategy make_cma_mae_numeric_strategy(Params& params) {
  NumericStrategy strategy = read_cma_strategy(params, {"imp", "mu", "basic"});
  SoftRule soft;
  soft.rate = params.real("learning_rate", 0.01, {0, 1}, "how fast thresholds follow (alpha)");
  soft.floor =
      params.real("threshold_min", 0, {-1e300, 1e300}, "objective that an empty cell asks for");
  strategy.soft = soft;
  return strategy;
}

}  // namespace ke
