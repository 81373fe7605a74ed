#pragma once
// Applies a reply to a source: SEARCH/REPLACE blocks, or a complete new source.

#include <span>
#include <string>
#include <string_view>

#include "operators/llm/edit.hpp"
#include "operators/llm/regions.hpp"
#include "operators/llm/reply.hpp"

namespace ke {

/// The new source if it keeps the parent's text outside the regions, including EVOLVE-BLOCK lines;
/// blanks at line ends and blank lines at the end of the file may differ. The text outside is then
/// the parent's, byte for byte. A parent without markers may change everywhere but gets no markers.
///
/// Errors: outside_block, unchanged or too_large.
Edit<std::string> rewrite(const EditableSource& parent, std::string_view source);

/// Finds the new source in a reply (find_source) and applies it (rewrite).
Edit<std::string> rewrite_by_reply(const EditableSource& parent, const SourceRule& rule,
                                   std::string_view reply);

/// Applies all blocks to the source, or none; then the failure says which one cannot be applied.
///
/// Each block is searched in the original source: as written, else without blanks at line ends,
/// else without indentation (new lines then get the file's), each also without blank lines at the
/// ends of the SEARCH text. The first method that finds a match decides. If there are several
/// matches, exactly one must be in the regions. Unchanged lines of a block are context: they may
/// overlap and lie outside the regions, and they stay byte for byte. New lines end like the first
/// line of the source.
///
/// Errors: no_match, ambiguous_match, empty_search (an empty SEARCH text only fills an empty
/// source), outside_block (also: new EVOLVE-BLOCK lines), overlap, unchanged or too_large.
Edit<std::string> apply_blocks(const EditableSource& source, std::span<const Block> blocks);

/// Finds SEARCH/REPLACE blocks in a reply (find_blocks) and applies them (apply_blocks).
Edit<std::string> patch_by_reply(const EditableSource& source, std::string_view reply);

}  // namespace ke
