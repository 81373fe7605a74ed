#include "operators/llm/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/feedback_record.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

constexpr std::size_t most_lines = 12;

const Candidate* find_judged(const PromptScene& scene, const LogicalId& id) {
  const auto& judged = scene.context.judged;
  const auto found = std::ranges::find(judged, id, [](const auto& c) { return c->id; });
  return found == judged.end() ? nullptr : found->get();
}

/// "4.0.1 llm_mutation: ok, 1.20 times the anchor"
std::string line_of(const Candidate& c) {
  const Evaluation& e = c.evaluation;
  const std::string became =
      e.verdict == Verdict::ok
          ? fmt::format("ok, {:.3f} times the speed of the task's own kernel", e.objective)
          : fmt::format("{} ({})", to_string(e.verdict), e.reason);
  return fmt::format("{} {}: {}\n", c.id.text(), c.operator_name, became);
}

bool is_child_of(const Candidate& c, const PromptScene& scene) {
  return std::ranges::any_of(c.ancestors, [&](const Ancestor& ancestor) {
    return std::ranges::any_of(
        scene.parents, [&](const Parent& parent) { return parent.candidate->id == ancestor.id; });
  });
}

std::string last_lines(const std::vector<std::string>& lines, std::string_view heading) {
  if (lines.empty()) return "";
  std::string text = fmt::format("## {}\n", heading);
  const std::size_t first = lines.size() > most_lines ? lines.size() - most_lines : 0;
  for (std::size_t i = first; i < lines.size(); ++i) text += lines[i];
  return text;
}

bool is_parent(const Candidate& c, const PromptScene& scene) {
  return std::ranges::any_of(scene.parents, [&](const Parent& parent) {
    return parent.candidate->kernel.source == c.kernel.source;
  });
}

}  // namespace

std::string ancestors_section(const PromptScene& scene) {
  std::vector<std::string> lines;
  std::vector<LogicalId> open;
  std::set<LogicalId> seen;
  for (const Parent& parent : scene.parents) open.push_back(parent.candidate->id);
  while (!open.empty() && lines.size() < most_lines) {
    const Candidate* c = find_judged(scene, open.front());
    open.erase(open.begin());
    if (c == nullptr || !seen.insert(c->id).second) continue;
    lines.insert(lines.begin(), line_of(*c));
    for (const Ancestor& ancestor : c->ancestors) open.push_back(ancestor.id);
  }
  return last_lines(lines, "How the parents came about, oldest first");
}

std::string siblings_section(const PromptScene& scene) {
  std::vector<std::string> lines;
  for (const auto& c : scene.context.judged) {
    if (!scene.parents.empty() && !is_child_of(*c, scene)) continue;
    if (scene.parents.empty() && !c->ancestors.empty()) continue;
    lines.push_back(line_of(*c));
  }
  return last_lines(
      lines, scene.parents.empty() ? "Earlier drafts and seeds" : "Other children of the parents");
}

const Candidate* best_other(const PromptScene& scene) {
  const Candidate* best = nullptr;
  for (const auto& c : scene.context.judged) {
    if (c->evaluation.verdict != Verdict::ok || is_parent(*c, scene)) continue;
    if (best == nullptr || c->evaluation.objective > best->evaluation.objective) best = c.get();
  }
  return best;
}

std::string others_section(const PromptScene& scene) {
  const Candidate* best = best_other(scene);
  if (best == nullptr) return "";
  return fmt::format("## The best other kernel so far\n{}```{}\n{}\n```\n", line_of(*best),
                     language_of_kernels(best->kernel.language).fences.front(),
                     best->kernel.source);
}

std::string spread_section(const PromptScene& scene) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const auto& c : scene.context.judged) {
    if (c->evaluation.verdict != Verdict::ok) continue;
    for (const auto& [name, value] : c->evaluation.measures) {
      // These values differ between any two kernels.
      if (name.starts_with(profile_prefix) || name.starts_with(validation_prefix)) continue;
      ++counts[name][fmt::format("{:.2g}", value)];
    }
  }
  std::string text;
  for (const auto& [name, values] : counts) {
    text += name + ":";
    for (const auto& [value, count] : values) text += fmt::format(" {} ({})", value, count);
    text += '\n';
  }
  if (text.empty()) return text;
  return "## What kernels so far look like: value (how many); other values are welcome\n" + text;
}

}  // namespace ke
