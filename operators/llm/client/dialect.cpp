#include "operators/llm/client/dialect.hpp"

#include <algorithm>
#include <utility>

namespace ke {
namespace {

struct TraitsRow {
  std::string_view prefix;
  std::vector<std::string> accepts;
  std::string_view max_tokens_name;
};

const std::vector<TraitsRow>& traits_table() {
  // Reasoning models and Claude since 4.7 reject sampling parameters, even their defaults.
  static const std::vector<TraitsRow> rows{
      {"gpt-3.5", {"temperature", "top_p", "seed"}, "max_tokens"},
      {"gpt-4", {"temperature", "top_p", "seed"}, "max_tokens"},
      {"gpt-5", {"effort"}, "max_completion_tokens"},
      {"o3", {"effort"}, "max_completion_tokens"},
      {"o4", {"effort"}, "max_completion_tokens"},
      {"claude-3", {"temperature", "top_p"}, ""},
      {"gemini-", {"temperature", "top_p", "seed"}, ""},
      {"gemini-3", {"temperature", "top_p", "seed", "effort"}, ""},
  };
  return rows;
}

}  // namespace

bool ModelTraits::takes(std::string_view setting) const {
  return accepts.empty() || std::find(accepts.begin(), accepts.end(), setting) != accepts.end();
}

ModelTraits traits_of(std::string_view model) {
  const TraitsRow* best = nullptr;
  for (const TraitsRow& row : traits_table()) {
    const bool longer = best == nullptr || row.prefix.size() > best->prefix.size();
    if (model.starts_with(row.prefix) && longer) best = &row;
  }
  ModelTraits traits;
  if (best == nullptr) return traits;
  traits.accepts = best->accepts;
  if (!best->max_tokens_name.empty()) traits.max_tokens_name = best->max_tokens_name;
  return traits;
}

namespace {

#define KE_DIALECT(name, doc) {#name, doc, &make_##name##_dialect},
constexpr Component<DialectFactory> table[] = {
#include "operators/llm/client/dialects/dialects.def"
};
#undef KE_DIALECT

}  // namespace

std::vector<SseEvent> SseParser::feed(std::string_view bytes) {
  std::vector<SseEvent> events;
  while (!bytes.empty()) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(events);
  }
  return events;
}

void SseParser::end_line(std::vector<SseEvent>& events) {
  const std::string whole = std::exchange(line_, {});
  std::string_view line = whole;
  if (std::exchange(at_start_, false) && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.empty()) {
    SseEvent event = std::exchange(event_, {});
    if (std::exchange(has_data_, false)) events.push_back(std::move(event));
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") event_.name = value;
  if (field != "data") return;
  if (std::exchange(has_data_, true)) event_.data += '\n';
  event_.data += value;
}

std::span<const Component<DialectFactory>> dialects() { return table; }

}  // namespace ke
