#pragma once
// Chooses and orders the configurations of a kernel that a recording measures.

#include <string>
#include <vector>

#include "core/knob_space.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// All admitted points of the knob x flag space, or `limit` of them drawn without replacement (0 =
/// all), in an order drawn from `seed`. The random order turns drift of the machine into noise and
/// makes an interrupted recording a uniform sample. Error if the space is too large to list and
/// there is no limit.
Result<std::vector<Kernel>> plan_recording(const KernelSpace& space, const Kernel& base,
                                           std::int64_t limit, std::int64_t seed);

/// {"KNOB": value, ..., "flag_0": "-O2", ...}: integers and bools keep their type, other values
/// become text.
Json configuration_json(const KernelSpace& space, const Kernel& kernel);

}  // namespace ke
