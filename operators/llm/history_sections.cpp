#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "core/feedback_record.hpp"
#include "core/text.hpp"
#include "core/validation.hpp"
#include "operators/llm/figures.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {
namespace {

constexpr std::size_t most_kinds = 8;
constexpr std::size_t shown_lines = 2;    ///< of a fix, on each side
constexpr std::size_t shown_bytes = 160;  ///< per line or diagnostic

struct FailureKind {
  std::vector<const Candidate*> kernels;
  std::string diagnostic;  ///< diagnostic of the first kernel
};

/// Quotes text as a JSON string: program output is data.
std::string as_json_string(std::string_view text) {
  return json_text(Json(std::string(text.substr(0, shown_bytes))));
}

std::string diagnostic_of(const Candidate& candidate) {
  const Evaluation& evaluation = candidate.evaluation;
  for (const Diagnostic& diagnostic : evaluation.diagnostics) {
    if (diagnostic.severity == "error") return diagnostic.message;
  }
  return evaluation.message;
}

/// Replaces each number and each run of blanks by a single character.
std::string normalised(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char sign = std::isdigit(byte) != 0 ? '#' : std::isspace(byte) != 0 ? ' ' : c;
    const bool repeats = !out.empty() && out.back() == sign && (sign == '#' || sign == ' ');
    if (!repeats) out += sign;
  }
  return out;
}

std::vector<FailureKind> kinds_of(std::span<const CandidatePtr> judged) {
  std::map<std::tuple<Verdict, std::string, std::string>, FailureKind> kinds;
  for (const CandidatePtr& c : judged) {
    if (c->evaluation.verdict == Verdict::ok) continue;
    const std::string diagnostic = diagnostic_of(*c);
    FailureKind& kind =
        kinds[{c->evaluation.verdict, c->evaluation.reason, normalised(diagnostic)}];
    if (kind.kernels.empty()) kind.diagnostic = diagnostic;
    kind.kernels.push_back(c.get());
  }
  std::vector<FailureKind> list;
  for (auto& [key, kind] : kinds) list.push_back(std::move(kind));
  std::ranges::sort(list, [](const FailureKind& a, const FailureKind& b) {
    const std::size_t x = a.kernels.size();
    const std::size_t y = b.kernels.size();
    return x != y ? x > y : b.kernels.back()->id < a.kernels.back()->id;  // newer ones first
  });
  if (list.size() > most_kinds) list.resize(most_kinds);
  return list;
}

/// The lines of a text that the other lacks, quoted.
std::string lines_without(std::string_view text, std::string_view other) {
  std::set<std::string_view> known;
  for (const Line& line : split_lines(other)) known.insert(trim(line.text));
  std::string out;
  std::size_t shown = 0;
  for (const Line& line : split_lines(text)) {
    const std::string_view own = trim(line.text);
    if (own.empty() || known.contains(own)) continue;
    if (shown++ == shown_lines) return out + ", ...";
    out += (out.empty() ? "" : ", ") + as_json_string(own);
  }
  return out;
}

std::string knob_changes(const Kernel& from, const Kernel& to) {
  std::string out;
  for (const auto& [name, value] : to.knobs) {
    const auto before = from.knobs.find(name);
    if (before == from.knobs.end() || before->second == value) continue;
    out +=
        fmt::format("{}{}={} instead of {}", out.empty() ? "" : ", ", name, value, before->second);
  }
  for (std::size_t g = 0; g < std::min(from.flags.size(), to.flags.size()); ++g) {
    if (from.flags[g] == to.flags[g]) continue;
    out += fmt::format("{}{} instead of {}", out.empty() ? "" : ", ", as_json_string(to.flags[g]),
                       as_json_string(from.flags[g]));
  }
  return out;
}

std::string change(const Kernel& from, const Kernel& to) {
  if (from.source == to.source) return knob_changes(from, to);
  const std::string gone = lines_without(from.source, to.source);
  const std::string come = lines_without(to.source, from.source);
  if (gone.empty()) return "added " + come;
  return come.empty() ? "removed " + gone : fmt::format("{} became {}", gone, come);
}

/// The first passing kernel that descends from one of these: its id and its changes.
std::string cure(const FailureKind& kind, std::span<const CandidatePtr> judged) {
  for (const CandidatePtr& c : judged) {
    if (c->evaluation.verdict != Verdict::ok) continue;
    for (const Ancestor& ancestor : c->ancestors) {
      const auto found = std::ranges::find(kind.kernels, ancestor.id, &Candidate::id);
      if (found == kind.kernels.end()) continue;
      return fmt::format("; a kernel that passed after that changed: {}",
                         change((*found)->kernel, c->kernel));
    }
  }
  return "";
}

}  // namespace

std::string failures_section(const PromptScene& scene) {
  std::string text;
  for (const FailureKind& kind : kinds_of(scene.context.judged)) {
    const Evaluation& evaluation = kind.kernels.front()->evaluation;
    text += fmt::format("- {} {} failed, {} ({}): {}{}\n", kind.kernels.size(),
                        kind.kernels.size() == 1 ? "kernel" : "kernels",
                        to_string(evaluation.verdict), evaluation.reason,
                        as_json_string(kind.diagnostic), cure(kind, scene.context.judged));
  }
  return text.empty() ? text : "## Failures of this search, not to be repeated\n" + text;
}

namespace {

constexpr std::size_t most_lines = 12;

const Candidate* find_judged(const PromptScene& scene, const LogicalId& id) {
  const auto& judged = scene.context.judged;
  const auto found = std::ranges::find(judged, id, [](const auto& c) { return c->id; });
  return found == judged.end() ? nullptr : found->get();
}

/// "12.30 us at n=8, 45.1 us at n=9": the bench shapes; "" where none was timed.
std::string bench_times(const Evaluation& evaluation, const DeviceSheet* sheet) {
  std::vector<std::string> times;
  for (const RecordedTiming& timing : timings_of(evaluation.feedback)) {
    if (timing.role != "bench" || timing.time <= 0) continue;
    times.push_back(fmt::format("{} at {}", time_words(timing.time, sheet), timing.workload));
  }
  return fmt::format("{}", fmt::join(times, ", "));
}

/// "4.0.1 llm_mutation: ok, 1.200 times the speed of the anchor (12.30 us at n=8)"
std::string line_of(const Candidate& c, const Context& context) {
  const Evaluation& e = c.evaluation;
  std::string became = fmt::format("{} ({})", to_string(e.verdict), e.reason);
  if (e.verdict == Verdict::ok) {
    const std::string times = bench_times(e, context.sheet);
    became = fmt::format("ok, {:.3f} times the speed of {}{}", e.objective,
                         opponent_words(context.contract),
                         times.empty() ? "" : fmt::format(" ({})", times));
  }
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
    lines.insert(lines.begin(), line_of(*c, scene.context));
    for (const Ancestor& ancestor : c->ancestors) open.push_back(ancestor.id);
  }
  return last_lines(lines, "How the parents came about, oldest first");
}

std::string siblings_section(const PromptScene& scene) {
  std::vector<std::string> lines;
  for (const auto& c : scene.context.judged) {
    if (!scene.parents.empty() && !is_child_of(*c, scene)) continue;
    if (scene.parents.empty() && !c->ancestors.empty()) continue;
    lines.push_back(line_of(*c, scene.context));
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
  return fmt::format(
      "## The best other kernel so far\n{}```{}\n{}\n```\n", line_of(*best, scene.context),
      language_of_kernels(best->kernel.language).fences.front(), best->kernel.source);
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
