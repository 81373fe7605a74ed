#pragma once
// A run in figures, for status, show and export.
// The meaning of a run's objective.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/llm_bill.hpp"
#include "archive/run_devices.hpp"
#include "archive/run_figures.hpp"
#include "archive/run_reader.hpp"
#include "core/workload_mean.hpp"

namespace ke {

/// The value of a line of a canonical configuration; "" if it has none.
std::string config_value(std::string_view canonical, std::string_view key);

/// The reference of objectives of an evaluator's kind: the anchor; for a landscape its optimum
/// or median, whose time is divided by the candidate's; "" = nothing, as for a function's value.
std::string objective_base(std::string_view evaluator_kind, const RunHeader& header);

/// The opponent of a run's objectives, by the evaluator that measured the run; "" for a numeric
/// search.
Result<std::string> objective_base(const RunReader& reader);

/// An objective for people: "1.312x anchor", "0.913 of the optimum", or a plain number.
std::string objective_text(double objective, std::string_view base);

/// A speedup with its 95 % interval.
struct SpeedupFigure {
  double speedup = 0;
  Interval ci;
  std::string note;  ///< e.g. below_floor, or why there is no figure
};

/// A speedup with its interval, "6.31x [6.25, 6.38]"; the note if there is no figure or it is not
/// resolved.
std::string figure_text(const SpeedupFigure& figure);

struct ChampionSummary {
  LogicalId id;
  std::string operator_name;
  Kernel kernel;
  SpeedupFigure seen;  ///< during the search
  /// The opponent of `seen`: naive where that was verified, else objective_base().
  std::string against;
  /// verified[role][baseline]; empty before the end of the run
  std::map<std::string, std::map<std::string, SpeedupFigure>> verified;
  std::string sanitizers;  ///< clean, not_applicable with reason, or a finding; "" = not requested
  std::vector<std::string> profile;  ///< sentences about its bottlenecks, or why there are none
  std::map<std::string, double> counters;  ///< measures from the profiler
};

/// Elites of the passive archive that the run remeasured at its end: the champion and those that
/// `verify.cells` allows. The scores of other elites still include selection luck.
struct CorrectedQdScore {
  std::int64_t cells = 0;
  double seen = 0;   ///< sum of their objectives, as in the QD score
  double score = 0;  ///< sum of their verified speedups over the anchor
};

/// Shapes at which the verified champion is slower than an opponent, with 95 % confidence.
struct SlowerShapes {
  std::string opponent;
  std::vector<std::pair<std::string, SpeedupFigure>> shapes;  ///< "bench rows=1", verified figure
};

/// One device of a run with several.
struct DeviceSummary {
  DeviceRecord record;
  std::int64_t evaluations = 0;
  double best = 0;   ///< highest objective of an ok candidate
  std::string base;  ///< objective_base() of the device, whose own anchor counts
  std::optional<ChampionSummary> champion;  ///< of a stopped run
};

/// Outcome of kernels sent from one device to another.
struct TransferSummary {
  std::string from;
  std::string to;
  std::int64_t offered = 0;  ///< built and judged at the destination
  std::int64_t correct = 0;  ///< of those sent: kernels that were correct there
  std::int64_t filled = 0;   ///< of those sent: kernels that were first in their cell
  std::int64_t better = 0;   ///< of these: better than the elite of their cell
  /// Spearman's rho of the correct kernels' objectives on both devices; nothing below three
  /// kernels.
  std::optional<double> rank_correlation;
};

struct RunSummary {
  std::string file;
  std::string run_id;
  RunHeader header;
  std::map<std::string, std::string> labels;  ///< what the task says of itself
  RunState state = RunState::interrupted;
  std::string stop_reason;  ///< "" = running, or interrupted for no reason of its own
  RunCounters counters;
  RunCosts costs;
  LlmBill bill;
  std::optional<FrequentFailure> frequent;  ///< among failed kernels
  double lane_busy = 0;  ///< share of the search that the limiting resource spent on committed work
  std::string limiting_resource;       ///< lane | compiler
  std::optional<ArchiveFill> archive;  ///< the archive that the search used; none without axes
  std::optional<ArchiveFill> common;   ///< the grid that all runs of a sweep fill alike
  CorrectedQdScore corrected;
  /// Figures of a numeric search.
  std::optional<NumericBatch> numeric;
  double norm_qd_score = 0;  ///< QD score over cells
  Digest history_hash;
  std::optional<ChampionSummary> champion;  ///< best so far until the run stops
  std::vector<SlowerShapes> slower;         ///< by opponent, where there are any
  std::vector<DeviceSummary> devices;       ///< empty = one device; `champion` is that of device 0
  std::vector<TransferSummary> transfers;   ///< by pair of devices that exchanged kernels
  std::vector<StoppedPromotion> stopped;
  std::vector<std::string> warnings;  ///< unsuitable axes and knob values
};

/// How much is read of a run. line: what a line of status_table() shows, for folders of thousands
/// of runs; whole: all.
enum class SummaryDepth { line, whole };

Result<RunSummary> summarise(const RunReader& reader, SummaryDepth depth = SummaryDepth::whole);

/// Reads a candidate as a champion, with its verified figures.
Result<std::optional<ChampionSummary>> read_champion(const RunReader& reader, const LogicalId& id);

/// The figure with the note `not_resolved` where its interval is wider than `within`.
SpeedupFigure reported(SpeedupFigure figure, double within);

/// The strongest baseline of a role: that over which the speedup is smallest, resolved or not. The
/// anchor counts only where there is no other, and forms in TF32, which are less accurate, only
/// where there is no anchor. end() if none was measured.
std::map<std::string, SpeedupFigure>::const_iterator strongest(
    const std::map<std::string, SpeedupFigure>& figures);

/// In words, over an opponent: "faster than pytorch eager: 3.02x [2.80, 3.15]", "slower than ...",
/// "as fast as ..., within the error: ...", or why there is no figure.
std::string words_of(const SpeedupFigure& figure, const std::string& opponent);

/// `a / b` of two independent speedups; combines the intervals on the log scale.
SpeedupFigure ratio(const SpeedupFigure& a, const SpeedupFigure& b);

/// Mean of independent speedups, one for each shape; combines the intervals on the log scale.
/// Speedup 0 if the list is empty or any is missing, with the note of that one.
SpeedupFigure mean_figure(const std::vector<SpeedupFigure>& figures, const ShapeMean& shapes);

/// Knobs and flags of a kernel, on one line.
std::string genome_text(const Kernel& kernel);

}  // namespace ke
