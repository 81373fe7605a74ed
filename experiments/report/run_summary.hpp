#pragma once
// A run in figures, as status, show and export present it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archive/run_devices.hpp"
#include "archive/run_reader.hpp"

namespace ke {

/// A speedup with its 95 % interval.
struct SpeedupFigure {
  double speedup = 0;
  Interval ci;
  std::string note;  ///< e.g. below_floor, or why there is no figure
};

struct ChampionSummary {
  LogicalId id;
  std::string operator_name;
  Kernel kernel;
  SpeedupFigure seen;   ///< during the search
  std::string against;  ///< what `seen` compares with: naive, or anchor before it was verified
  /// verified[role][baseline]; empty before the end of the run
  std::map<std::string, std::map<std::string, SpeedupFigure>> verified;
  std::string sanitizers;  ///< clean, not_applicable and why, or a finding; "" = not asked
  std::vector<std::string> profile;  ///< sentences about what limits it, or why there are none
  std::map<std::string, double> counters;  ///< measures that the profiler gave
};

/// Elites of the passive archive that the end of the run measured afresh: the champion and those
/// that `verify.cells` allows. What luck there was in the others stays.
struct CorrectedQdScore {
  std::int64_t cells = 0;
  double seen = 0;   ///< sum of their objectives, as in the QD score
  double score = 0;  ///< sum of their verified speedups over the anchor
};

/// One device of a run that has several.
struct DeviceSummary {
  DeviceRecord record;
  std::int64_t evaluations = 0;
  double best = 0;  ///< highest objective of an ok candidate, against the device's own anchor
  std::optional<ChampionSummary> champion;  ///< of a stopped run
};

/// What became of kernels that went from one device to another.
struct TransferSummary {
  std::string from;
  std::string to;
  std::int64_t offered = 0;  ///< built and judged there
  std::int64_t correct = 0;  ///< of them ok there
  std::int64_t filled = 0;   ///< of them the first of their cell
  std::int64_t better = 0;   ///< of them better than the elite of their cell
  /// Spearman's rho of the correct ones' objectives on both devices; nothing below three of them.
  std::optional<double> rank_correlation;
};

struct RunSummary {
  std::string file;
  std::string run_id;
  RunHeader header;
  RunState state = RunState::interrupted;
  std::string stop_reason;  ///< "" = not stopped
  RunCounters counters;
  RunCosts costs;
  double lane_busy = 0;  ///< share of the search that the limiting resource worked for commits
  std::string limiting_resource;  ///< lane | compiler
  double coverage = 0;            ///< of the passive archive
  double qd_score = 0;
  CorrectedQdScore corrected;
  /// Of a numeric search: its figures and their share of all cells.
  std::optional<NumericBatch> numeric;
  double norm_qd_score = 0;  ///< QD score over cells
  Digest history_hash;
  std::optional<ChampionSummary> champion;  ///< the best seen so far while there is no stop
  std::vector<DeviceSummary> devices;       ///< empty = one device; `champion` is the first one's
  std::vector<TransferSummary> transfers;   ///< by pair of devices between which kernels went
  std::vector<StoppedPromotion> stopped;
  std::vector<std::string> warnings;  ///< about axes and values of knobs that do not fit
};

Result<RunSummary> summarise(const RunReader& reader);

/// A candidate as a champion, with the figures that were verified of it.
Result<std::optional<ChampionSummary>> read_champion(const RunReader& reader, const LogicalId& id);

/// `a / b` of two independent speedups; intervals combined on the log scale.
SpeedupFigure ratio(const SpeedupFigure& a, const SpeedupFigure& b);

/// Geometric mean of independent speedups, intervals combined likewise. Speedup 0 where one is
/// missing, or all.
SpeedupFigure geometric_mean(const std::vector<SpeedupFigure>& figures);

}  // namespace ke
