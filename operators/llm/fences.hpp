#pragma once
// Markdown code fences in replies of language models.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/llm/lines.hpp"

namespace ke {

/// A line that opens or closes a fence: blanks, three or more ` or ~, and in an opening line an
/// optional info string.
struct FenceMark {
  char sign = '`';
  std::size_t length = 0;
  std::size_t indent = 0;  ///< number of blanks before it
  std::string_view info;   ///< the text after it, trimmed; "" for a closing line

  bool closes(const FenceMark& opening) const {
    return info.empty() && sign == opening.sign && length >= opening.length;
  }
};

/// Nothing if the line is not a fence mark.
std::optional<FenceMark> fence_mark(std::string_view line);

/// A fence with its content: lines [first, end).
struct Fence {
  FenceMark mark;
  std::size_t first = 0;
  std::size_t end = 0;
  bool closed = false;
  /// a closed fence that neither contains other fences nor is part of other code
  bool code = false;
};

/// The fences in order of their opening lines. A fence opens inside another one if it has an info
/// string, or if the outer one is Markdown: replies wrap code in ```markdown, and comments in code
/// contain fences, where an unclosed mark is text. At most 16 levels. Linear.
std::vector<Fence> find_fences(std::span<const Line> lines);

/// The text in a fence, without the fence's own indentation; ends with LF.
std::string content(const Fence& fence, std::span<const Line> lines);

}  // namespace ke
