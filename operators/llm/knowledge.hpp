#pragma once
// Knowledge sheets: the files of the folder knowledge, embedded in the binary, and their selection
// for a prompt.

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

/// The start of the SHA-256 of all sheets, which identifies the snapshot used by a run.
std::string knowledge_version();

/// Retrievable passages by id.
class KnowledgeShelf {
 public:
  explicit KnowledgeShelf(std::vector<KnowledgePassage> passages);

  /// The passages for the scene's language and device, best first: ranked by BM25 over title and
  /// prose [Robertson2009], times factors for operation, limiter, type, device and code. Excludes
  /// passages for another language or with code in another.
  std::vector<const KnowledgePassage*> fitting(const KnowledgeNeed& need) const;

 private:
  std::map<std::string, KnowledgePassage> passages_;
  MemoryKnowledgeIndex index_;
};

/// With `probability` per prompt, adds the passages that fit the scene best, in full: `knowledge:
/// {probability: 0.5, passages: 3, tokens: 4000}`; 0 disables it.
class Knowledge {
 public:
  explicit Knowledge(Params& params);

  /// The section; "" when the draw excludes it or nothing fits. Draws once if probability > 0.
  std::string look_up(const PromptScene& scene, RandomStream& random) const;

 private:
  double probability_;
  std::size_t passages_;
  std::int64_t tokens_;
  std::unique_ptr<KnowledgeShelf> shelf_;  ///< null = disabled
};

}  // namespace ke
