#pragma once
// Writes this program's JSON. Private to experiments, which keeps nlohmann's header out of other
// rooms.

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace ke {

/// One indented document with a final line end. Replaces bytes that are not UTF-8.
inline std::string document_text(const Json& json) {
  return json_text(json, JsonForm::lines) + "\n";
}

/// Writes one such document.
inline void write_json(std::ostream& out, const Json& json) { out << document_text(json); }

/// Writes the document where `json` asks for it, else the text.
inline void write_either(std::ostream& out, bool json, const Json& document,
                         const std::string& text) {
  if (json) {
    write_json(out, document);
  } else {
    out << text;
  }
}

/// Writes infinities and NaN, which JSON lacks, as null.
inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

/// Column of a table: `f(item)` for each item; `f` may be a member.
template <typename Items, typename F>
Json column(const Items& items, F&& f) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(std::invoke(f, item));
  return list;
}

}  // namespace ke
