#include "operators/llm/client/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/llm/json.hpp"
#include "operators/llm/tools/tool_table.hpp"

namespace ke {
namespace {

int status_at(const Json& json, const char* place) {
  const std::int64_t code = count_at(json, place);
  return code >= 300 && code < 600 ? static_cast<int>(code) : 0;
}

}  // namespace

WireError read_wire_error(std::string_view body) {
  const Json document = parse_json(body);
  const Json* json = document.is_array() && !document.empty() ? &document[0] : &document;
  const Json* found = find(*json, "error");
  const bool is_error = text_at(*json, "type") == "error" || text_at(*json, "object") == "error";
  if (found == nullptr && is_error) found = json;
  if (found == nullptr || found->is_null()) return {};
  if (found->is_string()) return {"", "", "", found->get<std::string>(), 0};
  WireError error;
  error.code = text_at(*found, "details/error_code");
  if (error.code.empty()) error.code = text_at(*found, "code");
  error.type = text_at(*found, "type");
  if (error.type.empty()) error.type = text_at(*found, "status");
  error.param = text_at(*found, "param");
  error.message = text_at(*found, "message");
  error.status = status_at(*found, "code");
  if (error.empty()) error.type = "unknown";
  return error;
}

AnswerCall* Answer::call(std::int64_t index) {
  const auto known = std::ranges::find(calls, index, &AnswerCall::index);
  if (known != calls.end()) return &*known;
  if (calls.size() == most_calls) return nullptr;
  calls.push_back({index, "", "", "", ""});
  return &calls.back();
}

std::size_t Answer::size() const {
  std::size_t bytes = text.size() + reasoning.size();
  for (const AnswerCall& call : calls) {
    bytes += call.id.size() + call.name.size() + call.arguments.size() + call.signature.size();
  }
  return bytes;
}

void Answer::write_calls() {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    AnswerCall& call = calls[i];
    if (call.id.empty()) call.id = fmt::format("{}{}", made_id, i + 1);
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += tool_call_text(native_call(std::move(call.id), std::move(call.name), call.arguments,
                                       std::move(call.signature)));
  }
  calls.clear();
}

}  // namespace ke
