#pragma once
// Reads a run file, during the run or later. Changes nothing.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/axis.hpp"
#include "archive/roofline.hpp"
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

/// running: a living process writes it. done: ended as planned. interrupted: can be resumed.
enum class RunState { running, done, interrupted };
std::string_view to_string(RunState state);

/// Candidates that failed in the same way.
struct FailureReason {
  std::string verdict;  ///< a verdict, or no_child
  std::string reason;
  std::int64_t count = 0;
  std::string message;  ///< first line of the first candidate's message
};

/// Progress of a run so far.
struct RunCounters {
  std::int64_t steps = 0;
  std::int64_t proposals = 0;    ///< committed candidates
  std::int64_t evaluations = 0;  ///< measured candidates
  /// verdict -> number of candidates, without ok; also no_child and duplicate
  std::map<std::string, std::int64_t> failures;
  std::int64_t judged = 0;             ///< kernels that got a verdict of their own
  std::vector<FailureReason> reasons;  ///< most frequent first; without duplicates
  double elapsed_s = 0;  ///< over all sessions; a killed one counts up to its last commit or fact
  double evaluations_per_s = 0;
};

/// Costs in ns.
struct RunCosts {
  Cost all;
  Cost searched;        ///< cost of facts used by a committed candidate or a duel
  double search_s = 0;  ///< over all sessions, from start to last commit, i.e. without verification
  std::int64_t exchanges = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double dollars = 0;
};

/// A candidate with its row and facts.
struct CandidateView {
  std::int64_t row = 0;         ///< number of its row, from 1 in commit order
  std::int64_t step_index = 0;  ///< commit index of its step
  CandidatePtr candidate;       ///< without its `space`
  std::vector<Digest> fact_keys;
};

/// A sanitizer finding, and the first candidate with the affected kernel.
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

/// A fact and the job it answered.
struct FactView {
  JobKind purpose = JobKind::build;
  std::string opponent;  ///< anchor, naive, a baseline; "" = none or a kernel of the search
  std::int64_t look = 0;
  std::optional<std::int64_t> session;  ///< index in sessions()
  Fact fact;
};

/// The state of one archive after one step, for plots.
struct ProgressPoint {
  std::int64_t step_index = 0;
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
  std::int64_t committed_ms = 0;
  double best = 0;          ///< highest objective of an ok candidate so far; 0 before the first
  std::int64_t filled = 0;  ///< filled cells of the passive archive
  double qd_score = 0;      ///< QD score of the passive archive
};

/// Whether a living process has the run file open to write it.
bool is_being_written(const std::string& path);

class RunReader {
 public:
  static Result<std::unique_ptr<RunReader>> open(const std::string& path);
  ~RunReader();
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;

  const std::string& path() const;
  /// File name without its extension.
  std::string run_id() const;

  Result<RunHeader> header() const;
  /// The task says them of itself: source, licence, category, op_type, libraries, threads; without
  /// those that it does not state.
  Result<std::map<std::string, std::string>> task_labels() const;
  /// Limits outside the run's identity as last given, by path.
  Result<std::map<std::string, std::string>> kept_options() const;
  Result<RunState> state() const;
  Result<std::optional<StopRecord>> stop() const;
  Result<RunCounters> counters() const;
  Result<RunCosts> costs() const;
  Result<std::vector<SessionInfo>> sessions() const;
  /// For a numeric search: figures after the last batch, with `solutions` summed over all.
  Result<std::optional<NumericBatch>> numeric() const;
  /// After the last step, or after the stop if there is one.
  Result<Digest> history_hash() const;
  /// From the stored digests; verify_run() recomputes them.
  Result<Digest> record_hash() const;

  Result<std::optional<CandidateView>> candidate(const LogicalId& id) const;
  /// Rows count from 1 in commit order.
  Result<std::optional<CandidateView>> candidate_at(std::int64_t row) const;
  /// The ok candidates with the highest objectives during the search.
  Result<std::vector<LogicalId>> best(std::size_t limit) const;
  /// The candidate and all its ancestors, in commit order.
  Result<std::vector<CandidateView>> lineage(const LogicalId& id) const;
  /// Facts that the candidate is based on, in order, and its duels.
  Result<std::vector<FactView>> facts(const LogicalId& id) const;
  Result<std::optional<FactView>> fact(const Digest& key) const;
  /// The search's kernel that a fact's candidate was compared with; nothing for a named opponent or
  /// an unknown fact.
  Result<std::optional<Kernel>> opponent_kernel(const Digest& key) const;
  /// Keys of all exchanges with a language model, sorted.
  Result<std::vector<Digest>> exchange_keys() const;
  Result<std::vector<VerifiedFigure>> verified() const;
  /// Results of sanitizers (`message`) and profiler (`measures`, `feedback`) for a candidate's
  /// kernel at the end of the run; nothing when they did not run.
  Result<std::optional<Fact>> examined(const LogicalId& id) const;
  /// Kernels that a sanitizer finding excluded as champion, in order of examination.
  Result<std::vector<StoppedPromotion>> stopped_promotions() const;

  Result<std::optional<StepRecord>> step(std::int64_t index) const;
  /// Elites after step `index`, by default at the end. Ordered by archive, island, cell.
  Result<std::vector<EliteRow>> elites(std::optional<std::int64_t> index = {}) const;
  /// Empty when the run stored no axes.
  Result<std::vector<AxisShape>> axes(const std::string& archive) const;
  Result<std::vector<ProgressPoint>> progress() const;

  /// For the other readers in archive/.
  sqlite::StoreFile& file() const { return *file_; }

 private:
  explicit RunReader(std::unique_ptr<sqlite::StoreFile> file);
  std::unique_ptr<sqlite::StoreFile> file_;
};

/// Whether a file was left by a process that died before its run began: an empty database, or a run
/// without a step. False for foreign files.
bool was_never_begun(const std::string& path);

/// Removes a run file that was created but never begun (see was_never_begun), unless a living
/// process is about to begin its run. True if it was removed.
bool remove_never_begun(const std::string& path);

/// Number of places of elites in an archive with these axes; 0 without axes.
std::size_t cells_of(const std::vector<AxisShape>& axes);
/// Number of distinct cells: the places of a deep archive share one, and specialists, which lose at
/// validation workloads, have none. 0 without axes.
std::size_t distinct_cells(const std::vector<AxisShape>& axes);

/// How full an archive is, counted in distinct cells, the islands together.
struct ArchiveFill {
  double coverage = 0;  ///< share of cells with an elite
  double qd_score = 0;  ///< sum over cells of the best elite's objective
};
/// `archive`: "island", which the search used, or "passive", the common one. Nothing without axes.
std::optional<ArchiveFill> fill_of(const std::vector<EliteRow>& elites,
                                   const std::vector<AxisShape>& axes, std::string_view archive);

}  // namespace ke
