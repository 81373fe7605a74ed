#pragma once
// Code fences of Markdown, as language models write them.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/llm/lines.hpp"

namespace ke {

/// A line that opens or closes a fence: blanks, three or more ` or ~, and for an opening line
/// words.
struct FenceMark {
  char sign = '`';
  std::size_t length = 0;
  std::size_t indent = 0;  ///< blanks before it
  std::string_view info;   ///< what follows, trimmed; "" for a closing line

  bool closes(const FenceMark& opening) const {
    return info.empty() && sign == opening.sign && length >= opening.length;
  }
};

/// Nothing if the line is no fence mark.
std::optional<FenceMark> fence_mark(std::string_view line);

/// A fence with its content: lines [first, end).
struct Fence {
  FenceMark mark;
  std::size_t first = 0;
  std::size_t end = 0;
  bool closed = false;
  bool code = false;  ///< closed, and neither a wrapper of other fences nor a part of other code
};

/// The fences in the order of their opening lines. A fence opens inside another one if it has an
/// info string, or if that one is Markdown: replies wrap code in ```markdown, and code holds fences
/// in its comments, where a mark that nothing closes is text. At most 16 levels. Linear.
std::vector<Fence> find_fences(std::span<const Line> lines);

/// The text in a fence, without the indentation that the fence has itself; ends with LF.
std::string content(const Fence& fence, std::span<const Line> lines);

}  // namespace ke
