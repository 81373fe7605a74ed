#include "core/json.hpp"

#include <nlohmann/json.hpp>

namespace ke {
namespace {

constexpr std::size_t deepest_text =
    512;  ///< deeper than hand-written JSON; bounds the recursion of destructors

}  // namespace

bool is_shallow(std::string_view json, std::size_t deepest) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (depth > deepest) return false;
  }
  return true;
}

Json parse_json(std::string_view text) {
  if (!is_shallow(text, deepest_text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}
Json parse_json(std::istream& text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& json, JsonForm form) {
  return json.dump(form == JsonForm::lines ? 2 : -1, ' ', form == JsonForm::ascii,
                   Json::error_handler_t::replace);
}

}  // namespace ke
