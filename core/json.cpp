#include "core/json.hpp"

#include <nlohmann/json.hpp>

namespace ke {

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }
Json parse_json(std::istream& text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& json, JsonForm form) {
  return json.dump(form == JsonForm::lines ? 2 : -1, ' ', form == JsonForm::ascii,
                   Json::error_handler_t::replace);
}

}  // namespace ke
