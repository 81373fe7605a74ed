#pragma once
// Writes curves over thresholds as a table.

#include <string>

#include "experiments/study/compare/shares.hpp"
#include "experiments/view/plot/figure.hpp"

namespace ke {

/// One row per arm and threshold: {arm, `threshold`, share}.
CsvTable share_table(const ShareCurve& curve, const std::string& threshold);

}  // namespace ke
