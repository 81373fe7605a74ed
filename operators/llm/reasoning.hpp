#pragma once
// Removes a model's reasoning from its reply.

#include <string>
#include <string_view>

namespace ke {

/// A reply without its reasoning.
struct ReplyText {
  std::string text;        ///< line ends are LF
  bool cut_short = false;  ///< the reply ended inside reasoning
};

/// Removes the text between `<think>` and `</think>` (also thinking, thought, reasoning). An
/// opening tag counts at the start of a line outside a code fence, so that code may contain one. A
/// closing tag without an opening one counts at the start of a line, and all text before it is
/// reasoning: some servers drop the opening tag. Linear.
ReplyText without_reasoning(std::string_view reply);

}  // namespace ke
