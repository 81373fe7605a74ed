#pragma once
// Several runs side by side, grouped by arm.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// {"arms": [names], "of": {file: arm}, "curves": {currency: [...]}, "missing": [...],
/// "comparison": {...} or null, "why_not": "..."}. Curves are quartiles over the runs of an arm on
/// a task. The comparison is that of `compare`; `why_not` says why there is none.
Result<Json> arms_data(const std::vector<std::string>& arguments);

}  // namespace ke
