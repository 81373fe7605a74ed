#pragma once
// Replaces the parent's source by a complete new one.

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

/// `find_source`, then `rewrite`.
Edit<std::string> rewrite_by_reply(const EditableSource& parent, const SourceRule& rule,
                                   std::string_view reply);

}  // namespace ke
