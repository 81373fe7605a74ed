#pragma once
// The sections of a prompt, each with its own switch and limit.
// The texts of sections are written by history_sections.cpp, report_sections.cpp and
// contract_section.cpp.

#include <span>

#include "core/operator.hpp"
#include "core/params.hpp"
#include "operators/llm/prompts.hpp"

namespace ke {

/// The input of the sections.
struct PromptScene {
  std::span<const Parent> parents;
  const Context& context;
  /// Name of the first parent if it is a kernel that an agent works on; the second is then the
  /// parent.
  std::string_view worked_on = {};
};

/// A kind of section; its text is empty when there is nothing to report.
struct SectionKind {
  std::string_view name;
  std::int64_t tokens;  ///< default limit
  std::string_view doc;
  std::string (*text)(const PromptScene&);
  /// Whether the section was added after runs had been stored: those do not show it.
  bool added = false;
};

/// All sections in the order of the prompts.
std::span<const SectionKind> section_kinds();

/// Tokens of a text, estimated as a quarter of its bytes.
std::int64_t estimated_tokens(std::string_view text);

/// `text`, or if it exceeds `tokens`, its first lines and a note.
std::string cut_to_tokens(std::string text, std::int64_t tokens);

/// The sections that an operator shows: `context: {timing: false}` omits one, `tokens: {parent:
/// 9000}` sets its limit.
class PromptSections {
 public:
  explicit PromptSections(Params& params);
  /// The text of each enabled section.
  Sections write(const PromptScene& scene) const;

 private:
  std::map<std::string_view, std::int64_t> tokens_;  ///< limits of the enabled sections
};

// history_sections.cpp: the island's judged candidates at the time of the ask.

/// The best judged kernel of the island that is not a parent; null if there is none.
const Candidate* best_other(const PromptScene& scene);
std::string ancestors_section(const PromptScene& scene);
std::string siblings_section(const PromptScene& scene);
std::string others_section(const PromptScene& scene);
std::string spread_section(const PromptScene& scene);

/// At most 8 kinds of failure among the judged kernels of the island, most frequent first, each
/// with the first kernel that passed after one of them and its changes. Two failures have the same
/// kind when verdict, reason and first diagnostic are equal, ignoring numbers.
std::string failures_section(const PromptScene& scene);

// report_sections.cpp: the parents' results from compiler, checker and profiler.

std::string diagnostics_section(const PromptScene& scene);
std::string profile_section(const PromptScene& scene);

// The parents, the best other kernel and the anchor.

/// Speedups at bench and, if measured, at validation.
std::string score_section(const PromptScene& scene);
/// Times of each timed workload with its floor.
std::string timing_section(const PromptScene& scene);

}  // namespace ke
