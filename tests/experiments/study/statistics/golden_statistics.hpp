#pragma once
// Reads tests/golden/statistics.json, computed by SciPy (tests/golden/make_statistics.py).

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/study/statistics/rank_test.hpp"

namespace ke::testing {

inline const nlohmann::json& golden_statistics() {
  static const auto golden = [] {
    std::ifstream file(KE_SOURCE_DIR "/tests/golden/statistics.json");
    return nlohmann::json::parse(file);
  }();
  return golden;
}

inline std::vector<double> numbers(const nlohmann::json& values) {
  return values.get<std::vector<double>>();
}

/// Order of the p-values in the golden file.
inline constexpr statistics::Alternative alternatives[] = {statistics::Alternative::two_sided,
                                                           statistics::Alternative::less,
                                                           statistics::Alternative::greater};

}  // namespace ke::testing
