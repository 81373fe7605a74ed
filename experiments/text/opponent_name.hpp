#pragma once
// Names of opponents, as people know them.

#include <string>
#include <string_view>

namespace ke {

/// Name of an opponent for people: "pytorch eager" for pytorch_eager, others unchanged. `anchor`:
/// the baseline that stands in for the anchor of a task without kernels; "" = the anchor is a
/// kernel.
std::string opponent_name(std::string_view name, std::string_view anchor = "");

/// "the anchor", or the name of the baseline that stands in for it in tasks without kernels.
std::string the_anchor(std::string_view anchor);

}  // namespace ke
