#include "experiments/view/report/candidates.hpp"

#include <fmt/format.h>

#include "core/feedback_record.hpp"
#include "core/text.hpp"
#include "experiments/view/report/run_tables.hpp"
#include "fitness/host/build/compiler.hpp"

namespace ke {
std::vector<std::string> judge_flags() {
  std::vector<std::string> flags = fixed_flags();
  std::erase_if(flags, [](const std::string& flag) {
    return flag.starts_with("-fopt-info") || flag.starts_with("-fdiagnostics");
  });
  return flags;
}

std::string outcome_text(const Candidate& c) {
  if (c.outcome == OutcomeKind::no_child) return "no child: " + c.no_child_reason;
  const Evaluation& e = c.evaluation;
  std::string text =
      fmt::format("{}{}{}", to_string(e.verdict), e.reason.empty() ? "" : ": ", e.reason);
  if (c.duplicate_of) {
    text += fmt::format(", the same {} as {}", c.duplicate_kind, c.duplicate_of->text());
  }
  return text;
}

std::string candidate_text(const Candidate& c) {
  const Evaluation& e = c.evaluation;
  std::string text = fmt::format("candidate    {} by {}\noutcome      {}\n", c.id.text(),
                                 c.operator_name, outcome_text(c));
  for (const Ancestor& a : c.ancestors) {
    text += fmt::format("{:<12} {}\n", to_string(a.role), a.id.text());
  }
  if (c.outcome == OutcomeKind::no_child) return text;
  text += fmt::format("kernel       {}\n", genome_text(c.kernel));
  if (e.verdict == Verdict::ok) {
    text += fmt::format("objective    {:.4f} [{:.4f}, {:.4f}]\n", e.objective, e.interval.low,
                        e.interval.high);
  }
  for (const auto& [name, value] : e.measures)
    text += fmt::format("measure      {} = {:.6g}\n", name, value);
  for (const std::string& sentence : profile_of(e.feedback))
    text += "profile      " + sentence + "\n";
  if (!e.message.empty()) text += "message      " + e.message + "\n";
  for (const Diagnostic& d : e.diagnostics) {
    text += fmt::format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, d.severity, d.message);
  }
  text +=
      fmt::format("genome       {}\nbuild        {}\n", c.genome_hash.hex(), e.build_hash.hex());
  return text;
}

std::string comparable_text(const Kernel& kernel) {
  std::string text;
  for (const auto& [name, value] : kernel.knobs)
    text += fmt::format("// knob {} = {}\n", name, value);
  for (const std::string& flag : kernel.flags) {
    if (!flag.empty()) text += fmt::format("// flag {}\n", flag);
  }
  return text + kernel.source;
}

namespace {

Error no_such(const RunReader& reader, const std::string& word) {
  return {Failure::usage,
          fmt::format("{}: no candidate '{}'; give step.island.slot such as 12.0.0, or 'champion'",
                      reader.path(), word)};
}

Result<std::optional<LogicalId>> champion_of(const RunReader& reader) {
  KE_TRY(const auto stop, reader.stop());
  if (stop && stop->champion) return stop->champion;
  KE_TRY(const auto best, reader.best(1));
  return best.empty() ? std::optional<LogicalId>() : std::optional<LogicalId>(best.front());
}

}  // namespace

std::optional<LogicalId> parse_logical_id(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 3) return std::nullopt;
  std::int64_t values[3] = {0, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = number_from<std::int64_t>(parts[i]);
    if (!value || *value < 0) return std::nullopt;
    values[i] = *value;
  }
  return LogicalId{values[0], values[1], values[2]};
}

Result<CandidateView> find_candidate(const RunReader& reader, const std::string& word) {
  std::optional<LogicalId> id = parse_logical_id(word);
  if (word == "champion") {
    KE_TRY(id, champion_of(reader));
    if (!id)
      return Error{Failure::usage, reader.path() + ": no candidate was ok, there is no champion"};
  }
  if (!id) return no_such(reader, word);
  KE_TRY(auto view, reader.candidate(*id));
  if (!view) return no_such(reader, word);
  return *std::move(view);
}

Result<CandidateView> seed_of(const RunReader& reader, const CandidateView& candidate) {
  for (std::int64_t row = 1; row < candidate.row; ++row) {
    KE_TRY(auto view, reader.candidate_at(row));
    if (view && view->candidate->operator_name == "seed_source" &&
        view->candidate->kernel.source == candidate.candidate->kernel.source) {
      return *std::move(view);
    }
  }
  CandidateView at = candidate;
  while (!at.candidate->ancestors.empty()) {
    KE_TRY(auto parent, reader.candidate(at.candidate->ancestors.front().id));
    if (!parent || parent->row >= at.row) break;
    at = *std::move(parent);
  }
  return at;
}

}  // namespace ke
