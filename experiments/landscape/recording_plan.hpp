#pragma once
// Which configurations of a kernel a recording measures, and in which order.

#include <string>
#include <vector>

#include "core/knob_space.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// All admitted points of the knob x flag space, or `limit` of them drawn without replacement
/// (0 = all), in an order drawn from `seed`, so that drift of the machine looks like noise and what
/// an interrupted recording holds is a uniform sample. Error when the space is too large to list
/// and no limit is given.
Result<std::vector<Kernel>> plan_recording(const KernelSpace& space, const Kernel& base,
                                           std::int64_t limit, std::int64_t seed);

/// {"KNOB": value, ..., "flag_0": "-O2", ...}: integers and bools as such, all else as text.
Json configuration_json(const KernelSpace& space, const Kernel& kernel);

}  // namespace ke
