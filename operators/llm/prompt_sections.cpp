#include "operators/llm/prompt_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/llm/contract_section.hpp"

namespace ke {
namespace {

std::string task(const PromptScene& scene) {
  return scene.context.task_text.empty() ? "" : task_section(scene.context.task_text);
}

std::string hardware(const PromptScene& scene) {
  if (scene.context.hardware.empty()) return "";
  return fmt::format("## Machine\n{}\n", scene.context.hardware);
}

std::string code(const Kernel& kernel) {
  const std::string& fence = language_of_kernels(kernel.language).fences.front();
  std::string text = fmt::format("```{}\n{}", fence, kernel.source);
  if (!text.ends_with('\n')) text += '\n';
  text += "```\n";
  std::string with;
  for (const auto& [name, value] : kernel.knobs) with += fmt::format(" {}={}", name, value);
  for (const std::string& flag : kernel.flags) with += flag.empty() ? "" : " " + flag;
  return with.empty() ? text : text + "Measured with" + with + "\n";
}

std::string_view title(ParentRole role) {
  switch (role) {
    case ParentRole::parent: return "Parent";
    case ParentRole::failed: return "Failed kernel";
    case ParentRole::inspiration: break;
  }
  return "Kernel for inspiration";
}

std::string parent(const PromptScene& scene) {
  std::string text;
  for (std::size_t i = 0; i < scene.parents.size(); ++i) {
    const Parent& shown = scene.parents[i];
    text += fmt::format("## {}{}\n{}", title(shown.role),
                        scene.parents.size() > 1 ? fmt::format(" {}", i + 1) : "",
                        code(shown.candidate->kernel));
  }
  return text;
}

std::string interface(const PromptScene& scene) {
  const Seed* shown = scene.context.shown();
  if (shown == nullptr || shown->kernel.source.empty()) return "";
  return "## A working kernel, for its parameters\n" + code(shown->kernel);
}

constexpr SectionKind kinds[] = {
    {"task", 2500, "description and reference of the task", task},
    {"contract", 3000, "signature, types, accuracy and public shapes", contract_section, true},
    {"hardware", 200, "the machine that measures, in a line; where no sheet is shown", hardware},
    {"device", 1200, "the machine that measures: what was queried and measured", device_section,
     true},
    {"interface", 4000, "a working kernel of the task, for drafts", interface},
    {"parent", 12000, "code, knobs and flags of the parents", parent},
    {"score", 200, "speedup of the parents against the anchor", score_section},
    {"diagnostics", 1000, "compiler messages and mismatches of the parents", diagnostics_section},
    {"timing", 600, "times of each workload of the parents", timing_section},
    {"profile", 1200, "what limits the parents: loops, instructions", profile_section},
    {"ancestors", 600, "what the parents' ancestors were and reached", ancestors_section},
    {"siblings", 600, "what became of other children of the parents", siblings_section},
    {"others", 6000, "the best other kernel of the island", others_section},
    {"spread", 300, "measures of judged kernels, for places nobody has been", spread_section},
    {"failures", 600, "what kernels of the run failed with, and what cured them", failures_section,
     true},
};

}  // namespace

std::span<const SectionKind> section_kinds() { return kinds; }

std::int64_t estimated_tokens(std::string_view text) {
  return static_cast<std::int64_t>(text.size() + 3) / 4;
}

std::string cut_to_tokens(std::string text, std::int64_t tokens) {
  if (estimated_tokens(text) <= tokens) return text;
  const std::size_t end = text.rfind('\n', static_cast<std::size_t>(tokens) * 4);
  text.resize(end == text.npos ? 0 : end + 1);
  return text + "[the rest is left out]\n";
}

PromptSections::PromptSections(Params& params) {
  Params on = params.section("context");
  Params limits = params.section("tokens");
  for (const SectionKind& kind : kinds) {
    if (kind.added) {
      on.added("false");
      limits.added(std::to_string(kind.tokens));
    }
    const bool shown = on.flag(kind.name, true, fmt::format("show {}", kind.doc));
    const std::int64_t tokens =
        limits.integer(kind.name, kind.tokens, {16, 100'000}, fmt::format("limit of {}", kind.doc));
    if (shown) tokens_.emplace(kind.name, tokens);
  }
}

Sections PromptSections::write(const PromptScene& scene) const {
  Sections sections;
  for (const SectionKind& kind : kinds) {
    const auto on = tokens_.find(kind.name);
    if (on == tokens_.end()) continue;
    sections.emplace(kind.name, cut_to_tokens(kind.text(scene), on->second));
  }
  if (!sections["device"].empty()) sections["hardware"].clear();  // device repeats its text
  return sections;
}

}  // namespace ke
