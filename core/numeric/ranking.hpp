#pragma once
// The order in which an evolution strategy ranks its solutions.

#include <cstdint>
#include <string>
#include <vector>

#include "core/numeric/emitter.hpp"

namespace ke {

/// imp: gain; obj: objective; rd: projection on a random direction in measure space, redrawn at
/// each restart [Fontaine2020]. two_stage ranks new cells before improvements before rejected
/// solutions.
struct Ranking {
  enum class Value { gain, objective, direction };
  Value value = Value::gain;
  bool two_stage = true;
};

/// Parses imp | 2imp | obj | 2obj | rd | 2rd.
Ranking ranking_of(const std::string& name);
std::vector<std::string> ranking_names();

struct Ranked {
  std::vector<std::uint32_t> order;  ///< rows, best first; ties keep their order
  /// Difference between best and worst: of the values, and of the stages if there are two.
  double spread = 0;
};

/// `direction` (measures,) is used only by rd.
Ranked rank(const Ranking& ranking, const EmitterResults& results,
            std::span<const double> direction);

}  // namespace ke
