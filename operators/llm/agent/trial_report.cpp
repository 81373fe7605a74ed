#include "operators/llm/agent/trial_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/llm/sections.hpp"

namespace ke {
namespace {

constexpr std::int64_t longest_report = 12'000;  ///< tokens
constexpr std::size_t most_elites = 64;

/// The evaluation that a candidate with these facts would have.
Evaluation evaluation_of(const TrialFacts& facts) {
  const Fact& last = facts.judged ? *facts.judged : facts.build;
  Evaluation e;
  e.verdict = last.verdict;
  e.reason = last.reason;
  e.message = last.message;
  e.measures = facts.build.measures;
  for (const auto& [name, value] : last.measures) e.measures[name] = value;
  e.feedback = last.feedback;
  e.diagnostics = last.diagnostics;
  if (last.comparison) {
    e.objective = last.comparison->speedup;
    e.interval = last.comparison->ci;
  }
  return e;
}

std::string against_parent(const Evaluation& e, std::span<const Parent> parents) {
  if (parents.empty()) return "";
  const Evaluation& parent = parents.front().candidate->evaluation;
  if (parent.verdict != Verdict::ok || parent.objective <= 0) return "";
  return fmt::format("That is {:.3f} times the speed of your parent.\n",
                     e.objective / parent.objective);
}

std::string verdict_text(std::string_view name, TrialKind kind, const TrialFacts& facts) {
  if (facts.build.verdict != Verdict::ok) return fmt::format("{} does not build.\n", name);
  if (!facts.judged) return fmt::format("{} builds.\n", name);
  const bool ok = facts.judged->verdict == Verdict::ok;
  if (!ok && !is_judged(facts.judged->verdict)) {
    return fmt::format("{} could not be judged ({}: {}).\n", name, to_string(facts.judged->verdict),
                       facts.judged->reason);
  }
  switch (kind) {
    case TrialKind::time: return fmt::format("{} is {}.\n", name, ok ? "right" : "refused");
    case TrialKind::profile:
      return fmt::format("{}: the sanitizers found {}.\n", name, ok ? "nothing" : "a fault");
    default: return fmt::format("{} {} the check.\n", name, ok ? "passes" : "fails");
  }
}

}  // namespace

std::string trial_report(std::string_view name, TrialKind kind, const TrialFacts& facts,
                         const PromptScene& scene) {
  auto made = std::make_shared<Candidate>();
  made->evaluation = evaluation_of(facts);
  std::vector<Parent> kernels = {{made, ParentRole::parent}};
  kernels.insert(kernels.end(), scene.parents.begin(), scene.parents.end());
  Context context{{}, "", {}};
  context.sheet = scene.context.sheet;
  const PromptScene alone{std::span(kernels).first(1), context, name};
  const PromptScene beside{kernels, context, name};
  std::string text = verdict_text(name, kind, facts);
  const bool ok = made->evaluation.verdict == Verdict::ok;
  if (ok && kind == TrialKind::time) {
    text += score_section(beside) + against_parent(made->evaluation, scene.parents) +
            timing_section(beside);
  }
  if (ok && kind != TrialKind::check) text += profile_section(alone);
  return cut_to_tokens(text + diagnostics_section(alone), longest_report);
}

std::string candidate_report(std::string_view name, const CandidatePtr& candidate,
                             const Context& context) {
  const Parent shown{candidate, ParentRole::inspiration};
  const PromptScene scene{{&shown, 1}, context, name};
  std::string text = fmt::format("{}, by {}\n", name, candidate->operator_name);
  for (const SectionKind& kind : section_kinds()) {
    const bool about_it = kind.name == "parent" || kind.name == "score" ||
                          kind.name == "diagnostics" || kind.name == "timing" ||
                          kind.name == "profile" || kind.name == "ancestors";
    if (about_it) text += cut_to_tokens(kind.text(scene), kind.tokens);
  }
  return text;
}

std::string elites_report(std::span<const Elite> elites) {
  if (elites.empty()) return "There are no elites yet.\n";
  std::string text;
  for (const Elite& elite : elites.first(std::min(elites.size(), most_elites))) {
    const Evaluation& e = elite.candidate->evaluation;
    text += fmt::format("cell {}: {}, {:.3f} times the task's own kernel", elite.cell,
                        elite.candidate->id.text(), e.objective);
    for (const auto& [name, value] : e.measures) text += fmt::format(", {} {:.3g}", name, value);
    text += "\n";
  }
  if (elites.size() > most_elites)
    text += fmt::format("and {} more\n", elites.size() - most_elites);
  return text;
}

}  // namespace ke
