#pragma once
// What a model thought aloud, which is no part of its answer.

#include <string>
#include <string_view>

namespace ke {

/// A reply without its reasoning.
struct ReplyText {
  std::string text;        ///< line ends are LF
  bool cut_short = false;  ///< the reply ended inside reasoning
};

/// Takes out what stands between `<think>` and `</think>` (also thinking, thought, reasoning). An
/// opening tag counts at the start of a line outside a code fence, so that code may name one. A
/// closing tag that no opening tag goes before counts at the start of a line, and all before it was
/// reasoning: some servers swallow the opening tag. Linear.
ReplyText without_reasoning(std::string_view reply);

}  // namespace ke
