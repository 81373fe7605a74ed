#include "operators/llm/client/answer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "operators/llm/tools/tool_call.hpp"

namespace ke {

AnswerCall* Answer::call(std::int64_t index) {
  const auto known = std::ranges::find(calls, index, &AnswerCall::index);
  if (known != calls.end()) return &*known;
  if (calls.size() == most_calls) return nullptr;
  calls.push_back({index, "", "", "", ""});
  return &calls.back();
}

std::size_t Answer::size() const {
  std::size_t bytes = text.size();
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
