#pragma once
// JSON. Only this unit parses and prints it: the templates would cost each user seconds to compile.

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ke {

/// Whether no value lies inside more than `deepest` nested lists and objects. Exact for valid JSON.
/// Linear.
bool is_shallow(std::string_view json, std::size_t deepest);

/// Objects keep the order of their members. To use it, include <nlohmann/json.hpp> in the source.
using Json = nlohmann::ordered_json;

/// The result is_discarded() when the text is not JSON or is nested deeper than 512.
Json parse_json(std::string_view text);
Json parse_json(std::istream& text);

enum class JsonForm {
  compact,  ///< one line
  ascii,    ///< one line, non-ASCII characters escaped
  lines,    ///< indented by two
};
/// Replaces invalid UTF-8, since strings may quote any file.
std::string json_text(const Json& json, JsonForm form = JsonForm::compact);

}  // namespace ke
