#include "core/operator.hpp"

namespace ke {

Outcome Operator::resume(std::string_view, const Exchange&, std::span<const Parent>, const Context&,
                         RandomStream&) const {
  return NoChild{"no_request_pending"};
}

}  // namespace ke
