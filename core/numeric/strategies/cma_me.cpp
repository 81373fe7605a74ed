#include "core/numeric/numeric_strategy.hpp"

namespace ke {

NumericStrategy make_cma_me_numeric_strategy(Params& params) {
  return read_cma_strategy(params, {"2imp", "filter", "no_improvement"});
}

}  // namespace ke
