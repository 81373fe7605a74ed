#pragma once
// JSON as this program writes it. Private to experiments: nlohmann's header stays out of the
// others.

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/json.hpp"

namespace ke {

/// One document, indented, with a final line end. Bytes that are no UTF-8 are replaced.
inline void write_json(std::ostream& out, const Json& json) {
  out << json_text(json, JsonForm::lines) << "\n";
}

}  // namespace ke
