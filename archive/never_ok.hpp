#pragma once
// Values of knobs and flags with which no kernel of a run was ok.

#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// One sentence per value that at least three judged kernels had, none of them ok, while other
/// kernels of the same source were ok; most failures first, at most five.
Result<std::vector<std::string>> never_ok(const RunReader& reader);

}  // namespace ke
