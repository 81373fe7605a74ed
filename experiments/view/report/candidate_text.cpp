#include "experiments/view/report/candidate_text.hpp"

#include <fmt/format.h>

#include "core/feedback_record.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {

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

}  // namespace ke
