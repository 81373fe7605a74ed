#pragma once
// Writes this program's JSON. Private to experiments, which keeps nlohmann's header out of other
// rooms.

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/json.hpp"

namespace ke {

/// Writes one indented document with a final line end. Replaces bytes that are not UTF-8.
inline void write_json(std::ostream& out, const Json& json) {
  out << json_text(json, JsonForm::lines) << "\n";
}

}  // namespace ke
