#pragma once
// The format of a knowledge sheet: a title, its sources, and passages under `## ` headings with a
// line that says where they apply.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

using KnowledgeWords = std::vector<std::string>;

struct KnowledgeSheet {
  std::string_view name;  ///< file name without .md
  std::string_view text;
};

/// One passage. An empty list means any.
struct KnowledgePassage {
  std::string id;     ///< the sheet's name and the heading
  std::string title;  ///< the heading
  std::string prose;  ///< its text without code
  std::string code;   ///< with its fences; "" = none
  KnowledgeWords devices, languages, operations, limiters;
  KnowledgeWords types;  ///< types of the inputs: float32, half

  /// Heading, prose and code, as shown in prompts.
  std::string text() const;
};

/// Parses the passages of a sheet. A heading may be followed by
///     for: device=hopper,ampere language=cuda operation=gemm limiter=compute,memory type=half
/// (each key at most once) and by a line `source: ...`, which prompts omit. Code is in one fence,
/// labelled with the passage's only language. Errors name `sheet.md:line`: unknown keys and words
/// with the known ones, repeated keys, code in a language other than the passage's, unclosed
/// fences.
Result<std::vector<KnowledgePassage>> parse_knowledge(const KnowledgeSheet& sheet);

}  // namespace ke
