#include "core/json.hpp"

#include <nlohmann/json.hpp>

#include "core/json_depth.hpp"

namespace ke {
namespace {

constexpr std::size_t deepest_text =
    512;  ///< deeper than hand-written JSON; bounds the recursion of destructors

}  // namespace

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
