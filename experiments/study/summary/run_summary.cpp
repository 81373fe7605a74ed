#include "experiments/study/summary/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "archive/axis_use.hpp"
#include "archive/never_ok.hpp"
#include "core/feedback_record.hpp"
#include "core/validation.hpp"
#include "experiments/study/summary/device_summary.hpp"
#include "experiments/study/summary/objective.hpp"

namespace ke {
namespace {

double half_width(const SpeedupFigure& figure) {
  if (figure.ci.low <= 0 || figure.ci.high <= 0) return 0;
  return std::log(figure.ci.high / figure.ci.low) / 2;
}

SpeedupFigure scaled(double speedup, double half) {
  return {speedup, {speedup * std::exp(-half), speedup * std::exp(half)}, ""};
}

/// Multiplies two independent figures.
SpeedupFigure product(const SpeedupFigure& a, const SpeedupFigure& b) {
  return scaled(a.speedup * b.speedup, std::hypot(half_width(a), half_width(b)));
}

void read_verified(const std::vector<VerifiedFigure>& figures, ChampionSummary& champion) {
  for (const VerifiedFigure& figure : figures) {
    if (figure.candidate != champion.id) continue;
    champion.verified[figure.role][figure.baseline] = {figure.speedup, figure.ci, figure.note};
  }
}

void read_examined(const Fact& fact, ChampionSummary& champion) {
  champion.sanitizers = fact.message;
  std::string feedback;
  take_profile(fact, champion.counters, feedback);
  champion.profile = profile_of(feedback);
  for (const std::string& flag : fact.policy_flags) {
    if (flag.starts_with(unprofiled_flag)) {
      champion.profile.push_back(flag.substr(unprofiled_flag.find(' ') + 1));
    }
  }
}

/// Converts search figures from the anchor to naive, which readers expect. The verified bench
/// figures give the ratio of the two.
void restate_against_naive(ChampionSummary& champion) {
  const auto bench = champion.verified.find("bench");
  if (bench == champion.verified.end()) return;
  const auto naive = bench->second.find("naive");
  const auto anchor = bench->second.find("anchor");
  if (naive == bench->second.end() || anchor == bench->second.end()) return;
  if (naive->second.speedup <= 0 || anchor->second.speedup <= 0) return;
  const std::string note = champion.seen.note;
  champion.seen = product(champion.seen, ratio(naive->second, anchor->second));
  champion.seen.note = note;
  champion.against = "naive";
}

/// A stopped run's chosen champion, if any; for a run without a stop, the best so far.
Result<std::optional<LogicalId>> champion_of(const RunReader& reader,
                                             const std::optional<StopRecord>& stop) {
  if (stop) return stop->champion;
  KE_TRY(const auto best, reader.best(1));
  return best.empty() ? std::optional<LogicalId>() : std::optional(best.front());
}

CorrectedQdScore corrected_qd_score(const std::vector<EliteRow>& elites,
                                    const std::vector<VerifiedFigure>& figures) {
  std::map<LogicalId, double> speedups;
  for (const VerifiedFigure& figure : figures) {
    const bool counts = figure.baseline == "anchor" && figure.role == "bench";
    if (counts && figure.speedup > 0) speedups[figure.candidate] = figure.speedup;
  }
  CorrectedQdScore corrected;
  for (const EliteRow& elite : elites) {
    const auto found = speedups.find(elite.candidate);
    if (elite.archive != "passive" || found == speedups.end()) continue;
    ++corrected.cells;
    corrected.seen += elite.objective;
    corrected.score += found->second;
  }
  return corrected;
}

void read_busy(RunSummary& summary) {
  const Cost& work = summary.costs.searched;
  const bool lane = work.lane_ns >= work.compile_ns;
  const double limiting = static_cast<double>(lane ? work.lane_ns : work.compile_ns) / 1e9;
  summary.limiting_resource = lane ? "lane" : "compiler";
  if (summary.costs.search_s > 0) summary.lane_busy = limiting / summary.costs.search_s;
}

void read_numeric(RunSummary& summary, std::size_t cells) {
  if (!summary.numeric || cells == 0) return;
  summary.coverage = static_cast<double>(summary.numeric->filled) / static_cast<double>(cells);
  summary.qd_score = summary.numeric->qd_score;
  summary.norm_qd_score = summary.qd_score / static_cast<double>(cells);
}

}  // namespace

SpeedupFigure ratio(const SpeedupFigure& a, const SpeedupFigure& b) {
  return scaled(a.speedup / b.speedup, std::hypot(half_width(a), half_width(b)));
}

SpeedupFigure geometric_mean(const std::vector<SpeedupFigure>& figures) {
  double sum = 0, squares = 0;
  for (const SpeedupFigure& one : figures) {
    if (one.speedup <= 0) return {};
    sum += std::log(one.speedup);
    squares += half_width(one) * half_width(one);
  }
  if (figures.empty()) return {};
  const auto count = static_cast<double>(figures.size());
  return scaled(std::exp(sum / count), std::sqrt(squares) / count);
}

Result<std::optional<ChampionSummary>> read_champion(const RunReader& reader, const LogicalId& id) {
  KE_TRY(const auto view, reader.candidate(id));
  if (!view) return std::optional<ChampionSummary>();
  const Candidate& candidate = *view->candidate;
  ChampionSummary champion{id, candidate.operator_name, candidate.kernel, {}, "", {}, "", {}, {}};
  champion.seen = {candidate.evaluation.objective, candidate.evaluation.interval, ""};
  if (is_specialist(candidate.evaluation)) champion.seen.note = "specialist: loses at validation";
  KE_TRY(champion.against, objective_base(reader));
  KE_TRY(const auto figures, reader.verified());
  read_verified(figures, champion);
  KE_TRY(const auto examined, reader.examined(id));
  if (examined) read_examined(*examined, champion);
  restate_against_naive(champion);
  return std::optional<ChampionSummary>(std::move(champion));
}

namespace {

/// Reads details that a line of a table leaves out.
Result<void> read_details(const RunReader& reader, const std::optional<StopRecord>& stop,
                          RunSummary& summary) {
  KE_TRY(summary.history_hash, reader.history_hash());
  KE_TRY(summary.devices, summarise_devices(reader, stop));
  KE_TRY(summary.transfers, summarise_transfers(reader));
  KE_TRY(summary.stopped, reader.stopped_promotions());
  KE_TRY(const auto uses, axis_use(reader));
  summary.warnings = axis_warnings(uses);
  KE_TRY(const auto failing, never_ok(reader));
  summary.warnings.insert(summary.warnings.end(), failing.begin(), failing.end());
  return {};
}

}  // namespace

Result<RunSummary> summarise(const RunReader& reader, SummaryDepth depth) {
  RunSummary summary;
  summary.file = reader.path();
  summary.run_id = reader.run_id();
  KE_TRY(summary.header, reader.header());
  KE_TRY(summary.labels, reader.task_labels());
  KE_TRY(summary.state, reader.state());
  KE_TRY(const auto stop, reader.stop());
  if (stop) summary.stop_reason = stop->reason;
  KE_TRY(summary.counters, reader.counters());
  KE_TRY(summary.costs, reader.costs());
  KE_TRY(const auto elites, reader.elites());
  KE_TRY(const auto axes, reader.axes("passive"));
  summary.coverage = coverage(elites, cells_of(axes), "passive");
  summary.qd_score = qd_score(elites, "passive");
  KE_TRY(const auto verified, reader.verified());
  summary.corrected = corrected_qd_score(elites, verified);
  KE_TRY(summary.numeric, reader.numeric());
  read_numeric(summary, cells_of(axes));
  KE_TRY(const auto champion, champion_of(reader, stop));
  if (champion) {
    KE_TRY(summary.champion, read_champion(reader, *champion));
  }
  if (depth == SummaryDepth::whole) KE_TRY_VOID(read_details(reader, stop, summary));
  read_busy(summary);
  return summary;
}

std::string figure_text(const SpeedupFigure& figure) {
  if (figure.speedup <= 0) return figure.note.empty() ? "-" : figure.note;
  const std::string text =
      fmt::format("{:.3f}x [{:.3f}, {:.3f}]", figure.speedup, figure.ci.low, figure.ci.high);
  return figure.note.empty() ? text : text + " " + figure.note;
}

std::string genome_text(const Kernel& kernel) {
  std::string text = kernel.name;
  for (const auto& [name, value] : kernel.knobs) text += fmt::format(" {}={}", name, value);
  for (const std::string& flag : kernel.flags) {
    if (!flag.empty()) text += " " + flag;
  }
  return text;
}

}  // namespace ke
