#pragma once
// What a scene wants to know: for which machine, in which language, of which operation, and what
// limits its parent.

#include <string>
#include <string_view>

#include "operators/llm/knowledge_sheet.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// In the words of the sheets.
struct KnowledgeNeed {
  KnowledgeWords devices;  ///< families that the machine belongs to
  std::string language;
  KnowledgeWords operations;  ///< empty = unknown
  KnowledgeWords limiters;    ///< empty = unknown
  KnowledgeWords types;       ///< of the inputs, by words of the task
  std::string query;          ///< for the ranking by words
};

KnowledgeNeed need_of(const PromptScene& scene);

/// What the judge found wrong with the first parent, in the words of the sheets, with the machine
/// and the first paragraph of the task.
std::string knowledge_query(const PromptScene& scene);

/// Operations that a task's text names.
KnowledgeWords operations_of(std::string_view task_text);

/// Families of a device class, narrowest included: "NVIDIA H100 .." is gpu, nvidia, ampere (whose
/// instructions it has) and hopper. A language implies its kind of device where the class says
/// nothing.
KnowledgeWords families_of(std::string_view device_class, std::string_view language);

}  // namespace ke
