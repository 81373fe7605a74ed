#pragma once
// Numbers as JSON has them.

#include <cmath>
#include <vector>

#include "experiments/cli/json.hpp"

namespace ke {

/// JSON has no infinities and no NaN: they become null.
inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

/// `f(item)` of each item, as one list: a column of a table.
template <typename Items, typename F>
Json column(const Items& items, F&& f) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(f(item));
  return list;
}

}  // namespace ke
