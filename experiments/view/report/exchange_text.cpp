#include "experiments/view/report/exchange_text.hpp"

#include <fmt/format.h>

#include "operators/llm/exchange_json.hpp"

namespace ke {
namespace {

std::string titled(const std::string& title, const std::string& text) {
  return fmt::format("=== {}, {} bytes\n{}{}", title, text.size(), text,
                     text.ends_with('\n') || text.empty() ? "" : "\n");
}

/// Messages of an exchange that the previous one did not show.
std::string news(const Exchange& exchange, std::size_t shown) {
  std::string text;
  const auto& messages = exchange.request.messages;
  for (std::size_t i = shown; i < messages.size(); ++i) {
    text += titled(messages[i].role, messages[i].text);
  }
  return text;
}

}  // namespace

std::string exchanges_text(const std::vector<Exchange>& exchanges) {
  if (exchanges.empty()) return "no language model was asked\n";
  std::string text;
  std::size_t shown = 0;
  for (const Exchange& exchange : exchanges) {
    text += news(exchange, shown);
    text += titled(fmt::format("reply ({}, {} tokens in, {} out)", exchange.status,
                               exchange.input_tokens, exchange.output_tokens),
                   exchange.reply);
    shown = exchange.request.messages.size() + 1;  // the next exchange continues after this reply
  }
  return text;
}

Json json_of(const std::vector<Exchange>& exchanges) {
  Json list = Json::array();
  for (const Exchange& exchange : exchanges) list.push_back(exchange_json(exchange));
  return {{"exchanges", list}};
}

}  // namespace ke
