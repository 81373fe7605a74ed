#pragma once
// Knowledge sheets: the files of the folder knowledge, inside the binary, and what of them a prompt
// is given.

#include <map>
#include <memory>
#include <span>

#include "core/memory/memory_knowledge_index.hpp"
#include "core/params.hpp"
#include "operators/llm/knowledge_need.hpp"
#include "operators/llm/knowledge_sheet.hpp"

namespace ke {

/// All sheets, sorted by name.
std::span<const KnowledgeSheet> knowledge_sheets();

/// The passages of all sheets.
std::vector<KnowledgePassage> all_passages();

/// The start of the SHA-256 of all sheets: the snapshot that a run has read from.
std::string knowledge_version();

/// Passages that retrieval can give, by id.
class KnowledgeShelf {
 public:
  explicit KnowledgeShelf(std::vector<KnowledgePassage> passages);

  /// Those for the scene's language and device, best first: by BM25 over title and prose
  /// [Robertson2009], times factors for operation, limiter, type, device and code. A passage
  /// for another language, or in code of another, is never among them.
  std::vector<const KnowledgePassage*> fitting(const KnowledgeNeed& need) const;

 private:
  std::map<std::string, KnowledgePassage> passages_;
  MemoryKnowledgeIndex index_;
};

/// With chance `probability` for each prompt, whole passages that fit the scene best:
/// `knowledge: {probability: 0.5, passages: 3, tokens: 4000}`; 0 looks up nothing.
class Knowledge {
 public:
  explicit Knowledge(Params& params);

  /// The section, or "" when the draw says so or nothing fits. Draws once if probability > 0.
  std::string look_up(const PromptScene& scene, RandomStream& random) const;

 private:
  double probability_;
  std::size_t passages_;
  std::int64_t tokens_;
  std::unique_ptr<KnowledgeShelf> shelf_;  ///< null = never
};

}  // namespace ke
