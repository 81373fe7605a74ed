#pragma once
// Applies SEARCH/REPLACE blocks to a source.

#include <span>
#include <string>

#include "operators/llm/edit.hpp"
#include "operators/llm/regions.hpp"
#include "operators/llm/reply.hpp"

namespace ke {

/// The source with all blocks applied, or why one of them cannot be: never some of them.
///
/// Each block is searched in the source as it was: as written, else without blanks at line ends,
/// else without indentation (new lines then get the file's), each also without blank lines at the
/// ends of the SEARCH text. The first of these ways that finds anything decides. What is found more
/// than once must be in the regions once. Lines that a block names but keeps count as context: they
/// may overlap and lie outside the regions, and they stay as they are, byte for byte. New lines end
/// as the first line of the source does.
///
/// Fails with no_match, ambiguous_match, empty_search (an empty SEARCH text fills an empty source
/// only), outside_block (also: new EVOLVE-BLOCK lines), overlap, unchanged or too_large.
Edit<std::string> apply_blocks(const EditableSource& source, std::span<const Block> blocks);

/// `find_blocks`, then `apply_blocks`.
Edit<std::string> patch_by_reply(const EditableSource& source, std::string_view reply);

}  // namespace ke
