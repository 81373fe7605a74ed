#pragma once
// Curves over thresholds as a table.

#include <string>

#include "experiments/compare/shares.hpp"
#include "experiments/plot/figure.hpp"

namespace ke {

/// One row for each arm and threshold: {arm, `threshold`, share}.
CsvTable share_table(const ShareCurve& curve, const std::string& threshold);

}  // namespace ke
