#include "operators/llm/client/wire_error.hpp"

#include "operators/llm/json.hpp"

namespace ke {

WireError read_wire_error(std::string_view body) {
  const Json document = parse_json(body);
  const Json* json = document.is_array() && !document.empty() ? &document[0] : &document;
  const Json* found = find(*json, "error");
  if (found == nullptr && text_at(*json, "type") == "error") found = json;
  if (found == nullptr || found->is_null()) return {};
  if (found->is_string()) return {"", "", "", found->get<std::string>()};
  WireError error;
  error.code = text_at(*found, "details/error_code");
  if (error.code.empty()) error.code = text_at(*found, "code");
  error.type = text_at(*found, "type");
  if (error.type.empty()) error.type = text_at(*found, "status");
  error.param = text_at(*found, "param");
  error.message = text_at(*found, "message");
  if (error.empty()) error.type = "unknown";
  return error;
}

}  // namespace ke
