#include "core/operator.hpp"

namespace ke {

Outcome Operator::resume(std::string_view, const Exchange&, std::span<const Parent>, const Context&,
                         RandomStream&) const {
  return NoChild{"no_request_pending"};
}

Outcome Operator::resume(std::string_view, const TrialFacts&, std::span<const Parent>,
                         const Context&, RandomStream&) const {
  return NoChild{"no_trial_pending"};
}

}  // namespace ke
