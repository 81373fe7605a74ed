#pragma once
// JSON, and the one place that reads and writes its text: each other would compile for seconds.

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ke {

/// Members keep their order. To use it, include <nlohmann/json.hpp> in the source.
using Json = nlohmann::ordered_json;

/// Discarded (`is_discarded()`) when the text is no JSON, or nested deeper than 512.
Json parse_json(std::string_view text);
Json parse_json(std::istream& text);

enum class JsonForm {
  compact,  ///< one line
  ascii,    ///< one line, other characters as escapes
  lines,    ///< indented by two
};
/// Bytes that are no UTF-8 are replaced, since texts may quote any file.
std::string json_text(const Json& json, JsonForm form = JsonForm::compact);

}  // namespace ke
