#include "experiments/view/report/hints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "archive/recorded_facts.hpp"
#include "experiments/study/summary/made_by.hpp"
#include "experiments/text/table.hpp"
#include "operators/llm/hints.hpp"

namespace ke {
namespace {

/// The entry of a hint; a new one at the end for an unknown hint.
ReportedHint& reported(HintReport& report, const Hint& hint) {
  const auto known =
      std::ranges::find(report.hints, hint.id, [](const ReportedHint& one) { return one.hint.id; });
  return known != report.hints.end() ? *known : report.hints.emplace_back(ReportedHint{hint, {}});
}

bool entered_island(const StepRecord& step, const Candidate& candidate) {
  return std::ranges::any_of(step.events, [&](const ArchiveEvent& event) {
    return event.archive == "island" && event.challenger == candidate.id &&
           has_entered(event.status);
  });
}

Result<void> add_candidate(const std::shared_ptr<const RunReader>& reader, const StepRecord& step,
                           std::size_t slot, HintReport& report) {
  const Candidate& candidate = *step.candidates[slot];
  KE_TRY(const auto exchanges, recorded_exchanges(reader, step.fact_keys[slot]));
  bool carried = false;  // further letters of a candidate carry the hint of the first
  for (const Exchange& exchange : exchanges) {
    if (!edited_hint(exchange.request).empty()) {
      const HintEdit edit = read_hint_edit(exchange);
      if (edit.hint) reported(report, *edit.hint);
      if (!edit.hint) ++report.refused[edit.refused];
    } else if (const auto hint = carried_hint(exchange.request); hint && !carried) {
      carried = true;
      KE_TRY(const CandidatePtr parent, best_parent(*reader, candidate));
      reported(report, *hint)
          .credit.count(candidate, parent.get(), entered_island(step, candidate));
    }
  }
  return {};
}

}  // namespace

Result<HintReport> hints_of(const std::shared_ptr<const RunReader>& reader) {
  HintReport report;
  for (std::int64_t index = 0;; ++index) {
    KE_TRY(const auto step, reader->step(index));
    if (!step) return report;
    for (std::size_t slot = 0; slot < step->candidates.size(); ++slot) {
      KE_TRY_VOID(add_candidate(reader, *step, slot, report));
    }
  }
}

std::string text_of(const HintReport& report) {
  if (report.hints.empty()) return "no letter carried a hint\n";
  Table table({"hint", "parent", "children", "right", "elites", "best gain", "text"});
  for (const auto& [hint, credit] : report.hints) {
    std::string text = hint.text.substr(0, hint.text.find_last_not_of('\n') + 1);
    std::ranges::replace(text, '\n', ' ');
    table.add({hint.id, hint.parent.empty() ? "-" : hint.parent, std::to_string(credit.children),
               std::to_string(credit.right), std::to_string(credit.elites),
               credit.best_gain > 0 ? fmt::format("{:.3f}x", credit.best_gain) : "-", text});
  }
  std::string text = table.text();
  for (const auto& [reason, count] : report.refused) {
    text += fmt::format("edits refused, {}: {}\n", reason, count);
  }
  return text;
}

Json json_of(const HintReport& report) {
  Json hints = Json::array();
  for (const auto& [hint, credit] : report.hints) {
    hints.push_back({{"id", hint.id},
                     {"parent", hint.parent.empty() ? Json(nullptr) : Json(hint.parent)},
                     {"children", credit.children},
                     {"right", credit.right},
                     {"elites", credit.elites},
                     {"best_gain", credit.best_gain > 0 ? Json(credit.best_gain) : Json(nullptr)},
                     {"text", hint.text}});
  }
  Json refused = Json::object();
  for (const auto& [reason, count] : report.refused) refused[reason] = count;
  return {{"hints", hints}, {"refused", refused}};
}

}  // namespace ke
