#pragma once
// Parses a language model's reply: a complete source, or SEARCH/REPLACE blocks.

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
///     lines that replace them
///     >>>>>>> REPLACE
struct Block {
  std::string search;
  std::string replace;
  std::size_t line = 0;  ///< of its first marker, from 1, in the reply without reasoning
};

/// Recognises the answer among the code fences of a reply.
struct SourceRule {
  /// The missing part of an incomplete kernel, as a sentence; "" when it is complete.
  std::function<std::string(std::string_view text)> missing;
  /// Whether a fence with this label, in lower case, may hold one.
  std::function<bool(std::string_view label)> fits_label;
};

/// The rule for a language. It must outlive the rule, as must `parent`, a kernel known to be
/// complete.
SourceRule whole_kernel(const Language& language, std::string_view parent);

/// The source in a reply: the last closed code fence that the rule finds complete. A fence that
/// repeats the parent counts only if there is no other, so that an echo of the prompt is never
/// taken for the answer. Ignores reasoning. Line ends are LF.
///
/// Errors: no_code, no_entry_point (no fence is complete), truncated (the last fence is not closed,
/// or the reply ends inside reasoning), too_large or not_text.
Edit<std::string> find_source(std::string_view reply, const SourceRule& rule,
                              std::string_view parent);

/// The SEARCH/REPLACE blocks of a reply, inside fences or not, with five to nine signs per marker.
/// Skips text outside blocks, but never an incomplete block. Removes a fence around a section and
/// the indentation of the first marker.
///
/// Errors: no_code, malformed_block, truncated (an unclosed block or fence, or the reply ends
/// inside reasoning), too_large (also: more than most_blocks) or not_text.
Edit<std::vector<Block>> find_blocks(std::string_view reply);

}  // namespace ke
