#pragma once
// A scene's need for knowledge: its machine, language and operation, and its parent's bottleneck.

#include <string>
#include <string_view>

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

}  // namespace ke
