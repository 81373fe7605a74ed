#include "operators/llm/reasoning.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include "operators/llm/fences.hpp"
#include "operators/llm/lines.hpp"

namespace ke {
namespace {

constexpr std::array<std::string_view, 4> tags = {"think", "thinking", "thought", "reasoning"};

bool starts_with_word(std::string_view text, std::string_view lower_case) {
  const auto same = [](char c, char lower) {
    return std::tolower(static_cast<unsigned char>(c)) == lower;
  };
  return std::ranges::equal(text.substr(0, lower_case.size()), lower_case, same);
}

/// The name of a tag `open` + name + '>' at the start of the text; "" = none.
std::string_view tag_at(std::string_view text, std::string_view open) {
  if (!text.starts_with(open)) return {};
  const std::string_view rest = text.substr(open.size());
  for (const std::string_view tag : tags) {
    if (starts_with_word(rest, tag) && rest.substr(tag.size()).starts_with('>')) return tag;
  }
  return {};
}

class ReasoningFilter {
 public:
  void line(std::string_view text) {
    for (;;) {
      if (!inside_.empty()) {
        if (!leave(text)) return;
      }
      const std::string_view rest = text.substr(indentation(text).size());
      if (const auto orphan = tag_at(rest, "</"); !orphan.empty()) {
        answer_.text.clear();
        fence_.reset();
        text = rest.substr(orphan.size() + 3);
        continue;
      }
      inside_ = fence_ ? std::string_view{} : tag_at(rest, "<");
      if (inside_.empty()) break;
      text = rest.substr(inside_.size() + 2);
    }
    follow_fence(text);
    answer_.text.append(text) += '\n';
  }

  ReplyText finish() {
    answer_.cut_short = !inside_.empty();
    return std::move(answer_);
  }

 private:
  /// Skips past the closing tag of the current reasoning; false = it is not in this line.
  bool leave(std::string_view& text) {
    for (std::size_t at = text.find("</"); at != text.npos; at = text.find("</", at + 2)) {
      if (tag_at(text.substr(at), "</") != inside_) continue;
      text.remove_prefix(at + inside_.size() + 3);
      inside_ = {};
      return true;
    }
    return false;
  }

  void follow_fence(std::string_view text) {
    const auto mark = fence_mark(text);
    if (!mark) return;
    if (!fence_) {
      fence_ = mark;
    } else if (mark->closes(*fence_)) {
      fence_.reset();
    }
  }

  ReplyText answer_;
  std::string_view inside_;         ///< name of the open tag
  std::optional<FenceMark> fence_;  ///< its info is not used
};

}  // namespace

ReplyText without_reasoning(std::string_view reply) {
  const std::string text = with_line_feeds(reply);
  ReasoningFilter filter;
  for (const Line& line : split_lines(text)) filter.line(line.text);
  return filter.finish();
}

}  // namespace ke
