#pragma once
// A column of names with few distinct values: each name once, and its index per row.

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/text/json.hpp"

namespace ke {

/// {"names": [...], "rows": [...]}; names in the order of their first row.
template <typename Items, typename F>
Json name_column(const Items& items, F&& name_of) {
  std::vector<std::string> names;
  Json rows = Json::array();
  for (const auto& item : items) {
    const std::string& name = name_of(item);
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) at = names.insert(names.end(), name);
    rows.push_back(at - names.begin());
  }
  return {{"names", names}, {"rows", rows}};
}

}  // namespace ke
