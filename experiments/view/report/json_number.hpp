#pragma once
// Writes numbers as JSON.

#include <cmath>
#include <vector>

#include "experiments/text/json.hpp"

namespace ke {

/// Writes infinities and NaN, which JSON lacks, as null.
inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

/// Column of a table: `f(item)` for each item.
template <typename Items, typename F>
Json column(const Items& items, F&& f) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(f(item));
  return list;
}

}  // namespace ke
