#pragma once
// In which order an evolution strategy sees its solutions.

#include <cstdint>
#include <string>
#include <vector>

#include "core/numeric/emitter.hpp"

namespace ke {

/// imp: gain; obj: objective; rd: projection on a random direction of measure space, drawn anew at
/// each restart [Fontaine2020]. two_stage puts new cells before improvements before the rejected.
struct Ranking {
  enum class Value { gain, objective, direction };
  Value value = Value::gain;
  bool two_stage = true;
};

/// imp | 2imp | obj | 2obj | rd | 2rd.
Ranking ranking_of(const std::string& name);
std::vector<std::string> ranking_names();

struct Ranked {
  std::vector<std::uint32_t> order;  ///< rows, best first; ties keep their order
  /// Distance of the best from the worst: of the values, and of the stages where there are two.
  double spread = 0;
};

/// `direction` (measures,) is used by rd alone.
Ranked rank(const Ranking& ranking, const EmitterResults& results,
            std::span<const double> direction);

}  // namespace ke
