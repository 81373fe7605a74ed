#pragma once
// Reads a run file, while a writer runs or long after. Changes nothing.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/axis_shape.hpp"
#include "archive/session.hpp"
#include "core/evaluation.hpp"
#include "core/history.hpp"
#include "core/job.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"

namespace ke {

namespace sqlite {
struct StoreFile;
}

/// running: a living process writes it. done: ended by plan. interrupted: may be resumed.
enum class RunState { running, done, interrupted };
std::string_view to_string(RunState state);

/// What a run has done so far.
struct RunCounters {
  std::int64_t steps = 0;
  std::int64_t proposals = 0;    ///< candidates committed
  std::int64_t evaluations = 0;  ///< of them measured
  /// verdict -> candidates, without ok; also no_child and duplicate
  std::map<std::string, std::int64_t> failures;
  double elapsed_s = 0;  ///< over all sessions; a killed one counts to its last commit or fact
  double evaluations_per_s = 0;
};

/// Costs in ns.
struct RunCosts {
  Cost all;
  Cost searched;        ///< of facts that a committed candidate or duel rests on
  double search_s = 0;  ///< over all sessions, from the start to the last commit: no verification
  std::int64_t exchanges = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double dollars = 0;
};

/// A candidate with what hangs on it.
struct CandidateView {
  std::int64_t row = 0;         ///< number of its row, from 1 in commit order
  std::int64_t step_index = 0;  ///< commit index of its step
  CandidatePtr candidate;       ///< without its `space`
  std::vector<Digest> fact_keys;
};

/// A finding of the sanitizers, and the first candidate with the kernel that it is about.
struct StoppedPromotion {
  LogicalId id;
  std::string finding;
};

/// An elite as stored. The passive archive has island -1.
struct EliteRow {
  std::string archive;
  std::int64_t island = 0;
  std::size_t cell = 0;
  LogicalId candidate;
  double objective = 0;
};

/// A fact with the job it answered.
struct FactView {
  JobKind purpose = JobKind::build;
  std::string opponent;  ///< anchor, naive, a baseline; "" = none or a kernel of the search
  std::int64_t look = 0;
  std::optional<std::int64_t> session;  ///< position in sessions()
  Fact fact;
};

/// The state of one archive after one step, for curves.
struct ProgressPoint {
  std::int64_t step_index = 0;
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
  std::int64_t committed_ms = 0;
  double best = 0;          ///< highest objective of an ok candidate so far; 0 before the first
  std::int64_t filled = 0;  ///< cells of the passive archive
  double qd_score = 0;      ///< of the passive archive
};

class RunReader {
 public:
  static Result<std::unique_ptr<RunReader>> open(const std::string& path);
  ~RunReader();
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;

  const std::string& path() const;
  /// File name without its ending.
  std::string run_id() const;

  Result<RunHeader> header() const;
  Result<RunState> state() const;
  Result<std::optional<StopRecord>> stop() const;
  Result<RunCounters> counters() const;
  Result<RunCosts> costs() const;
  Result<std::vector<SessionInfo>> sessions() const;
  /// Of a numeric search: figures after the last batch, `solutions` of all of them.
  Result<std::optional<NumericBatch>> numeric() const;
  /// After the last step, or after the stop when there is one.
  Result<Digest> history_hash() const;
  /// From the stored digests; verify_run() computes them afresh.
  Result<Digest> record_hash() const;

  Result<std::optional<CandidateView>> candidate(const LogicalId& id) const;
  /// Rows count from 1 in commit order.
  Result<std::optional<CandidateView>> candidate_at(std::int64_t row) const;
  /// The ok candidates with the highest objectives as seen during the search.
  Result<std::vector<LogicalId>> best(std::size_t limit) const;
  Result<std::vector<LogicalId>> children(const LogicalId& id) const;
  /// The candidate and all its ancestors, in commit order.
  Result<std::vector<CandidateView>> lineage(const LogicalId& id) const;
  /// Facts that the candidate rests on, in order, and the duels it fought.
  Result<std::vector<FactView>> facts(const LogicalId& id) const;
  Result<std::optional<FactView>> fact(const Digest& key) const;
  /// The kernel of the search that a fact's candidate was compared with; nothing when that one was
  /// named, or when there is no such fact.
  Result<std::optional<Kernel>> opponent_kernel(const Digest& key) const;
  /// Keys of all exchanges with a language model, sorted.
  Result<std::vector<Digest>> exchange_keys() const;
  Result<std::vector<VerifiedFigure>> verified() const;
  /// What sanitizers (`message`) and profiler (`measures`, `feedback`) said of a candidate's kernel
  /// at the end of the run; nothing when they were not asked.
  Result<std::optional<Fact>> examined(const LogicalId& id) const;
  /// Kernels that a finding of the sanitizers kept from being the champion, in the order of asking.
  Result<std::vector<StoppedPromotion>> stopped_promotions() const;

  Result<std::optional<StepRecord>> step(std::int64_t index) const;
  /// Elites after step `index`; of the end without it. Ordered by archive, island, cell.
  Result<std::vector<EliteRow>> elites(std::optional<std::int64_t> index = {}) const;
  /// Empty when the run described none.
  Result<std::vector<AxisShape>> axes(const std::string& archive) const;
  Result<std::vector<ProgressPoint>> progress() const;

  /// For the other readers of this room.
  sqlite::StoreFile& file() const { return *file_; }

 private:
  explicit RunReader(std::unique_ptr<sqlite::StoreFile> file);
  std::unique_ptr<sqlite::StoreFile> file_;
};

/// Whether a file is what a process leaves that died before its run began: an empty database, or a
/// run without a step. False for files of others.
bool was_never_begun(const std::string& path);

/// Removes such a file unless a living process is about to begin its run. True when it is gone.
bool remove_never_begun(const std::string& path);

/// Cells of an archive with these axes; 0 without axes.
std::size_t cells_of(const std::vector<AxisShape>& axes);
/// Sum of objectives of the elites of one archive and island.
double qd_score(const std::vector<EliteRow>& elites, const std::string& archive,
                std::int64_t island = -1);
/// Share of filled cells of one archive and island.
double coverage(const std::vector<EliteRow>& elites, std::size_t cells, const std::string& archive,
                std::int64_t island = -1);

}  // namespace ke
