#pragma once
// The form of a knowledge sheet: a title, its sources, and passages under `## ` headings with a
// line that says whom they are for.

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

/// One passage. An empty list stands for any of its kind.
struct KnowledgePassage {
  std::string id;     ///< the sheet's name and the heading
  std::string title;  ///< the heading
  std::string prose;  ///< its words, without code
  std::string code;   ///< with its fences; "" = none
  KnowledgeWords devices, languages, operations, limiters;
  KnowledgeWords types;  ///< of the inputs: float32, half

  /// Heading, prose and code, as prompts show them.
  std::string text() const;
};

/// The passages of a sheet. A heading may be followed by
///     for: device=hopper,ampere language=cuda operation=gemm limiter=compute,memory type=half
/// (each key once or not at all) and by a line `source: ...`, which prompts do not show. Code
/// stands in one fence labelled with the passage's only language. Errors name `sheet.md:line`:
/// unknown keys and words with the known ones, repeated keys, code of a language that the passage
/// is not for, fences without an end.
Result<std::vector<KnowledgePassage>> parse_knowledge(const KnowledgeSheet& sheet);

}  // namespace ke
