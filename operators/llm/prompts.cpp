#include "operators/llm/prompts.hpp"

#include <algorithm>

#include "core/result.hpp"
#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::string_view open = "{{";
constexpr std::string_view close = "}}";
constexpr std::string_view message_mark = "--- ";

std::string_view section(const Sections& sections, std::string_view name) {
  const auto found = sections.find(name);
  return found == sections.end() ? std::string_view() : std::string_view(found->second);
}

/// The name when the line consists of a single placeholder.
std::string_view lone_place(std::string_view line) {
  const bool lone =
      line.starts_with(open) && line.ends_with(close) && line.find('}') + 2 == line.size();
  return lone ? line.substr(2, line.size() - 4) : std::string_view();
}

void add_line(std::string_view line, const Sections& sections, std::string& text) {
  const std::string_view place = lone_place(line);
  const std::string filled =
      place.empty() ? fill(line, sections) : std::string(section(sections, place));
  if (!place.empty() && filled.empty()) return;
  text += filled;
  if (!filled.ends_with('\n')) text += '\n';
}

}  // namespace

std::string_view prompt_text(std::string_view name) {
  const auto all = prompt_templates();
  const auto found = std::ranges::find(all, name, &PromptTemplate::name);
  KE_CHECK(found != all.end());
  return found->text;
}

std::string fill(std::string_view text, const Sections& sections) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find(open);
    const std::size_t end = text.find(close, begin == text.npos ? text.size() : begin);
    if (end == text.npos) return out.append(text);
    out.append(text.substr(0, begin));
    out.append(section(sections, text.substr(begin + 2, end - begin - 2)));
    text.remove_prefix(end + 2);
  }
}

std::string prompt_version(std::string_view name) {
  return std::string(name) + "@" + sha256(prompt_text(name)).short_hex();
}

std::vector<Message> render_prompt(std::string_view name, const Sections& sections) {
  std::vector<Message> messages;
  for (const std::string_view line : split(prompt_text(name), '\n')) {
    if (line.starts_with(message_mark)) {
      messages.push_back({std::string(line.substr(message_mark.size())), ""});
      continue;
    }
    KE_CHECK(!messages.empty());
    add_line(line, sections, messages.back().text);
  }
  return messages;
}

}  // namespace ke
