#pragma once
// Knowledge sheets: the files of the folder knowledge, inside the binary, and what of them a prompt
// is given.

#include <memory>

#include "core/knowledge_index.hpp"
#include "core/params.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {

struct KnowledgeSheet {
  std::string_view name;  ///< file name without .md
  std::string_view text;  ///< a title, its sources, and passages under `## ` headings
};

/// All sheets, sorted by name.
std::span<const KnowledgeSheet> knowledge_sheets();

/// Their passages; the id is the sheet's name and the heading.
std::vector<Passage> knowledge_passages();

/// The start of the SHA-256 of all sheets: the snapshot that a run has read from.
std::string knowledge_version();

/// Step one of retrieval: what the judge found wrong with the first parent, in the words of the
/// sheets, with the machine and the first paragraph of the task.
std::string knowledge_query(const PromptScene& scene);

/// Step two, with chance `probability` for each prompt: the passages that fit the query best
/// [Robertson2009]. `knowledge: {probability: 0.5, passages: 3, tokens: 900}`; 0 looks up nothing.
class Knowledge {
 public:
  explicit Knowledge(Params& params);
  ~Knowledge();

  /// The section, or "" when the draw says so or nothing fits. Draws once if probability > 0.
  std::string look_up(const PromptScene& scene, RandomStream& random) const;

 private:
  double probability_;
  std::size_t passages_;
  std::int64_t tokens_;
  std::unique_ptr<KnowledgeIndex> index_;  ///< null = never
};

}  // namespace ke
