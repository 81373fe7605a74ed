#pragma once
// Knowledge sheets: the files of the folder knowledge, embedded in the binary, and their selection
// for a prompt.
// A scene's need for knowledge: its machine, language and operation, and its parent's bottleneck.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/knowledge_index.hpp"
#include "core/params.hpp"
#include "operators/llm/knowledge_sheet.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// In the vocabulary of the sheets.
struct KnowledgeNeed {
  KnowledgeWords devices;  ///< device families of the machine
  std::string language;
  KnowledgeWords operations;  ///< empty = unknown
  KnowledgeWords limiters;    ///< empty = unknown
  KnowledgeWords types;       ///< of the inputs, from words of the task
  std::string query;          ///< for word ranking
};

KnowledgeNeed need_of(const PromptScene& scene);

/// Search words: the judge's findings on the first parent in the vocabulary of the sheets, the
/// machine, and the first paragraph of the task.
std::string knowledge_query(const PromptScene& scene);

/// Operations named in a task's text.
KnowledgeWords operations_of(std::string_view task_text);

/// Device families of a device class, including the narrowest: "NVIDIA H100 .." is gpu, nvidia,
/// ampere (whose instructions it has) and hopper. If the class is not recognised, the language
/// implies the kind of device.
KnowledgeWords families_of(std::string_view device_class, std::string_view language);

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
  KnowledgeIndex index_;
};

/// With `probability` per prompt, adds the passages that fit the scene best, in full: `knowledge:
/// {probability: 0.5, passages: 3, tokens: 4000}`; 0 disables it.
class Knowledge {
 public:
  explicit Knowledge(Params& params);

  /// Returns the prompt section on known techniques. Empty if no sheet fits, or if the draw left it
  /// out. Uses one random number if probability > 0.
  std::string look_up(const PromptScene& scene, RandomStream& random) const;

 private:
  double probability_;
  std::size_t passages_;
  std::int64_t tokens_;
  std::unique_ptr<KnowledgeShelf> shelf_;  ///< null = disabled
};

}  // namespace ke
