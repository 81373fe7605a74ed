#pragma once
// What a language model's reply holds: a whole source, or SEARCH/REPLACE blocks.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/language.hpp"
#include "operators/llm/edit.hpp"

namespace ke {

/// One SEARCH/REPLACE block:
///     <<<<<<< SEARCH
///     lines of the source
///     =======
///     lines to stand there instead
///     >>>>>>> REPLACE
struct Block {
  std::string search;
  std::string replace;
  std::size_t line = 0;  ///< of its first marker, counted from 1 in the reply without reasoning
};

/// Recognises the answer among the code fences of a reply.
struct SourceRule {
  /// What a text lacks to be a whole kernel, as a sentence; "" when it is whole.
  std::function<std::string(std::string_view text)> missing;
  /// Whether a fence with this label, in lower case, may hold one.
  std::function<bool(std::string_view label)> fits_label;
};

/// Kernels of a language, which outlives the rule, as does `parent`, a kernel known to be whole.
SourceRule whole_kernel(const Language& language, std::string_view parent);

/// The whole source that a reply gives: the last closed code fence that the rule finds whole. A
/// fence that repeats the parent counts only if there is no other, so that an echo of the prompt
/// neither before nor after the answer is taken for it. Reasoning does not count. Line ends are LF.
///
/// Fails with no_code, no_entry_point (no fence is whole), truncated (a fence that is never closed
/// comes last, or the reply ends while reasoning), too_large or not_text.
Edit<std::string> find_source(std::string_view reply, const SourceRule& rule,
                              std::string_view parent);

/// The SEARCH/REPLACE blocks of a reply, inside fences or not, with five to nine signs in a marker.
/// What is not in a block is skipped, but half a block never is. If a section is wrapped in a fence
/// of its own, the fence is dropped; so is the indentation that the first marker has.
///
/// Fails with no_code, malformed_block, truncated (a block or fence that is never closed, or the
/// reply ends while reasoning), too_large (also: more than most_blocks) or not_text.
Edit<std::vector<Block>> find_blocks(std::string_view reply);

}  // namespace ke
