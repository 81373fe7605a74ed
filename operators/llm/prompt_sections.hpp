#pragma once
// What a prompt tells the model, a section each, every one with a switch and a limit of its own.

#include <functional>
#include <span>

#include "core/operator.hpp"
#include "core/params.hpp"
#include "operators/llm/prompts.hpp"

namespace ke {

/// What sections are written from.
struct PromptScene {
  std::span<const Parent> parents;
  const Context& context;
  /// Where the first of them is a kernel that is being worked on: its name; the second is the
  /// parent.
  std::string_view worked_on = {};
};

/// A section: empty text when there is nothing to say.
struct SectionKind {
  std::string_view name;
  std::int64_t tokens;  ///< default limit
  std::string_view doc;
  std::string (*text)(const PromptScene&);
  /// Whether runs were stored before the section was known: those do not show it.
  bool added = false;
};

/// All sections, in the order in which prompts show them.
std::span<const SectionKind> section_kinds();

/// Tokens of a text, estimated as a quarter of its bytes.
std::int64_t estimated_tokens(std::string_view text);

/// `text`, or its first lines with a note that says so when it is longer than `tokens`.
std::string cut_to_tokens(std::string text, std::int64_t tokens);

/// Which sections an operator shows: `context: {timing: false}` leaves one out, `tokens:
/// {parent: 9000}` sets how long it may be.
class PromptSections {
 public:
  explicit PromptSections(Params& params);
  /// The text of each section that is on.
  Sections write(const PromptScene& scene) const;

 private:
  std::map<std::string_view, std::int64_t> tokens_;  ///< of the sections that are on
};

}  // namespace ke
