#pragma once
// Values of knobs and flags that no kernel of a run passed with.

#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// A sentence for each value that at least three judged kernels had and none of them was ok with,
/// while kernels of the same source were; most failures first, at most five.
Result<std::vector<std::string>> never_ok(const RunReader& reader);

}  // namespace ke
