#include "experiments/study/summary/run_summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "archive/recorded_facts.hpp"
#include "core/feedback_record.hpp"
#include "core/search/budget.hpp"
#include "core/search/role_figure.hpp"
#include "core/text.hpp"
#include "core/validation.hpp"
#include "experiments/run/console.hpp"
#include "experiments/study/summary/device_summary.hpp"

namespace ke {
std::string objective_base(std::string_view evaluator_kind, const RunHeader& header) {
  if (evaluator_kind == "function") return "";
  if (evaluator_kind != "landscape") return "anchor";
  const bool median = header.config_text.find("device.reference = median") != std::string::npos;
  return median ? "median" : "optimum";
}

Result<std::string> objective_base(const RunReader& reader) {
  KE_TRY(const auto evaluator, recorded_evaluator(reader));
  if (!evaluator) return std::string();
  KE_TRY(const RunHeader header, reader.header());
  return objective_base(evaluator->kind, header);
}

std::string objective_text(double objective, std::string_view base) {
  if (base.empty()) return fmt::format("{:.4g}", objective);
  if (base == "optimum") return fmt::format("{:.3f} of the optimum", objective);
  return fmt::format("{:.3f}x {}", objective, base);
}

std::string config_value(std::string_view canonical, std::string_view key) {
  for (const std::string_view line : split(canonical, '\n')) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with(" = ")) {
      return std::string(line.substr(key.size() + 3));
    }
  }
  return "";
}

namespace {

std::int64_t config_number(std::string_view canonical, std::string_view key) {
  return number_from<std::int64_t>(config_value(canonical, key)).value_or(0);
}

/// Tells a limit on proposals that nobody gave from a budget that was used.
std::string reason_of(const StopRecord& stop, std::string_view canonical) {
  const Limits limits{config_number(canonical, "budget.proposals"),
                      config_number(canonical, "budget.evaluations")};
  const bool derived = ended_by_derived_limit(limits, stop.proposals, stop.evaluations);
  return stop.reason == "budget" && derived ? "proposals" : stop.reason;
}

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

/// Models that neither their providers nor their requests named get the name in the configuration.
Result<void> read_bill(const RunReader& reader, RunSummary& summary) {
  KE_TRY(summary.bill, llm_bill(reader));
  for (ModelBill& one : summary.bill.models) {
    if (one.model.empty()) one.model = config_value(summary.header.config_text, "llm.model");
  }
  return {};
}

void read_numeric(RunSummary& summary, std::size_t cells) {
  if (!summary.numeric || cells == 0) return;
  const auto filled = static_cast<double>(summary.numeric->filled);
  summary.archive = {filled / static_cast<double>(cells), summary.numeric->qd_score};
  summary.common = summary.archive;
  summary.norm_qd_score = summary.numeric->qd_score / static_cast<double>(cells);
}

/// Names the validation shapes at which the search found a specialist slower than the anchor.
Result<std::string> specialist_note(const RunReader& reader, const LogicalId& id) {
  KE_TRY(const auto facts, reader.facts(id));
  std::map<std::string, double> slower;
  for (const FactView& view : facts) {
    if (view.purpose != JobKind::screen || !view.fact.comparison) continue;
    for (const WorkloadTiming& timing : view.fact.comparison->workloads) {
      const bool loses = timing.role == validation_role && timing.speedup > 0 && timing.speedup < 1;
      if (loses) slower[timing.workload] = timing.speedup;
    }
  }
  std::string note = "specialist: loses at validation";
  const char* separator = ": ";
  for (const auto& [shape, speedup] : slower) {
    note += fmt::format("{}{} ({:.3f}x)", separator, shape, speedup);
    separator = ", ";
  }
  return note;
}

}  // namespace

SpeedupFigure ratio(const SpeedupFigure& a, const SpeedupFigure& b) {
  return scaled(a.speedup / b.speedup, std::hypot(half_width(a), half_width(b)));
}

SpeedupFigure mean_figure(const std::vector<SpeedupFigure>& figures, const ShapeMean& shapes) {
  std::vector<double> logs, widths;
  for (const SpeedupFigure& one : figures) {
    if (one.speedup <= 0) return {0, {}, one.note};
    logs.push_back(std::log(one.speedup));
    widths.push_back(half_width(one));
  }
  if (figures.empty()) return {};
  const MeanOfLogs mean = shapes.of(logs);
  return scaled(std::exp(mean.log), mean.error(widths));
}

Result<std::optional<ChampionSummary>> read_champion(const RunReader& reader, const LogicalId& id) {
  KE_TRY(const auto view, reader.candidate(id));
  if (!view) return std::optional<ChampionSummary>();
  const Candidate& candidate = *view->candidate;
  ChampionSummary champion{id, candidate.operator_name, candidate.kernel, {}, "", {}, "", {}, {}};
  champion.seen = {candidate.evaluation.objective, candidate.evaluation.interval, ""};
  if (is_specialist(candidate.evaluation)) {
    KE_TRY(champion.seen.note, specialist_note(reader, id));
  }
  KE_TRY(champion.against, objective_base(reader));
  KE_TRY(const auto figures, reader.verified());
  read_verified(figures, champion);
  KE_TRY(const auto examined, reader.examined(id));
  if (examined) read_examined(*examined, champion);
  restate_against_naive(champion);
  return std::optional<ChampionSummary>(std::move(champion));
}

namespace {

Result<std::vector<SlowerShapes>> slower_shapes(const RunReader& reader, const LogicalId& id) {
  KE_TRY(const auto figures, reader.verified());
  std::map<std::string, SlowerShapes> found;
  for (const VerifiedFigure& figure : figures) {
    if (figure.candidate != id) continue;
    KE_TRY(const auto view, reader.fact(figure.fact_key));
    if (!view || !view->fact.comparison) continue;
    for (const WorkloadTiming& timing : view->fact.comparison->workloads) {
      if (timing.role != figure.role || timing.speedup <= 0 || timing.ci.high >= 1) continue;
      SlowerShapes& own = found[figure.baseline];
      own.opponent = figure.baseline;
      own.shapes.push_back({timing.role + " " + timing.workload, {timing.speedup, timing.ci, ""}});
    }
  }
  std::vector<SlowerShapes> list;
  for (auto& [name, slower] : found) list.push_back(std::move(slower));
  return list;
}

/// Reads details that a line of a table leaves out.
Result<void> read_details(const RunReader& reader, const std::optional<StopRecord>& stop,
                          RunSummary& summary) {
  KE_TRY(summary.history_hash, reader.history_hash());
  KE_TRY(summary.devices, summarise_devices(reader, stop));
  KE_TRY(summary.transfers, summarise_transfers(reader));
  KE_TRY(summary.stopped, reader.stopped_promotions());
  KE_TRY(summary.frequent, frequent_failure(reader));
  KE_TRY(const auto uses, axis_use(reader));
  summary.warnings = axis_warnings(uses);
  if (summary.champion) {
    KE_TRY(summary.slower, slower_shapes(reader, summary.champion->id));
  }
  KE_TRY(const auto failing, never_ok(reader));
  summary.warnings.insert(summary.warnings.end(), failing.begin(), failing.end());
  if (const LlmBill& bill = summary.bill; bill.sent_tokens > 0) {
    summary.warnings.push_back(cut_prompt_text(bill.read_tokens, bill.sent_tokens));
  }
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
  if (stop) summary.stop_reason = reason_of(*stop, summary.header.config_text);
  if (summary.state == RunState::interrupted) {
    KE_TRY(const auto sessions, reader.sessions());
    const bool waits = !sessions.empty() && sessions.back().exit_code == exit_code::waiting;
    if (waits) summary.stop_reason = "waiting for answers of a model";
  }
  KE_TRY(summary.counters, reader.counters());
  KE_TRY(summary.costs, reader.costs());
  if (summary.costs.exchanges > 0) KE_TRY_VOID(read_bill(reader, summary));
  KE_TRY(const auto elites, reader.elites());
  KE_TRY(const auto own_axes, reader.axes("island"));
  KE_TRY(const auto axes, reader.axes("passive"));
  summary.archive = fill_of(elites, own_axes, "island");
  summary.common = fill_of(elites, axes, "passive");
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

std::map<std::string, SpeedupFigure>::const_iterator strongest(
    const std::map<std::string, SpeedupFigure>& figures) {
  const auto rank = [](const auto& one) {
    return std::tuple(one->first.ends_with("_tf32"), one->first == "anchor", one->second.speedup);
  };
  auto found = figures.end();
  for (auto one = figures.begin(); one != figures.end(); ++one) {
    if (one->second.speedup <= 0) continue;
    if (found == figures.end() || rank(one) < rank(found)) found = one;
  }
  return found;
}

SpeedupFigure reported(SpeedupFigure figure, double within) {
  const bool known = figure.speedup <= 0 || is_resolved(figure.ci, within);
  if (figure.note.empty() && !known) figure.note = not_resolved;
  return figure;
}

std::string words_of(const SpeedupFigure& figure, const std::string& opponent) {
  if (figure.note == not_resolved && figure.ci.low > 1) {
    return fmt::format("faster than {}, by how much is not resolved", opponent);
  }
  if (figure.speedup <= 0 || figure.note == not_resolved) {
    const std::string why = figure.note.empty() ? "not measured" : figure.note;
    return fmt::format("no figure over {}: {}", opponent, why);
  }
  const std::string text = figure_text(figure);
  if (figure.ci.low > 1) return fmt::format("faster than {}: {}", opponent, text);
  if (figure.ci.high < 1) return fmt::format("slower than {}: {}", opponent, text);
  return fmt::format("as fast as {}, within the error: {}", opponent, text);
}

std::string figure_text(const SpeedupFigure& figure) {
  if (figure.note == not_resolved) return figure.note;
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
