#pragma once
// All rows of a run at once, for reports: RunReader answers questions about single candidates.
// References between rows are positions in these lists, counted from 0; -1 = none.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archive/roofline.hpp"
#include "archive/run_reader.hpp"

namespace ke {

struct CandidateRow {
  LogicalId id;
  std::int64_t step_index = 0;  ///< position of its step in RunRows::steps
  std::string operator_name;
  std::string outcome;          ///< kernel | no_child | duplicate
  std::string no_child_reason;  ///< "" unless there is no child
  std::string kernel_name;
  std::int64_t genome = -1;
  std::int64_t duplicate_of = -1;
  std::string duplicate_kind;
  std::string verdict;
  std::string reason;
  std::string message;
  std::int64_t build = 0;  ///< equal for equal binaries; 0 = none
  double objective = 0;    ///< NaN when there is none
  double ci_low = 0;
  double ci_high = 0;
  bool measured = false;
  std::int64_t feedback = -1;  ///< in RunRows::notes
  std::int64_t cell = -1;      ///< where it fell in the passive archive
};

struct ParentRow {
  std::int64_t child = 0;
  std::int64_t parent = 0;
  std::string role;  ///< parent | inspiration | failed
};

struct GenomeRow {
  Digest hash;
  std::string language;
  std::int64_t source = 0;
  std::string launch_plan;
  std::map<std::string, std::string> knobs;
  std::vector<std::string> flags;  ///< one a flag gene; "" = left out
};

struct DiagnosticRow {
  std::int64_t candidate = 0;
  Diagnostic diagnostic;
};

/// An elite change, or a refusal for which a duel was fought.
struct ArchiveEventRow {
  std::int64_t step_index = 0;
  std::int64_t island = 0;  ///< -1 = the passive archive
  std::int64_t challenger = 0;
  std::int64_t cell = 0;
  std::int64_t incumbent = -1;
  std::string status;
  std::string decision;
  double bound_low = 0;  ///< of the challenger's speedup over the incumbent
  double bound_high = 0;
};

struct MigrationRow {
  std::int64_t step_index = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t migrant = 0;
  std::int64_t chosen_at = 0;
};

/// One job of the evaluator, as it was paid for.
struct JobRow {
  std::int64_t session = -1;
  std::string purpose;
  std::string opponent;
  std::string verdict;
  Cost cost;
  std::int64_t arrived_ms = 0;  ///< since 1970, UTC
  bool compared = false;        ///< what follows holds only then
  std::string decision;
  double speedup = 0;
  double ci_low = 0;
  double ci_high = 0;
  double resolvable = 0;
};

struct ExchangeRow {
  std::int64_t session = -1;
  std::int64_t step_index = -1;  ///< first step that rests on it
  std::int64_t candidate = -1;   ///< first candidate that rests on it
  std::string model;             ///< as it answered, else as it was asked
  std::string status;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double dollars = 0;
};

struct NumericBatchRow {
  std::int64_t step_index = 0;
  NumericBatch batch;
};

struct NumericEliteRow {
  std::int64_t cell = 0;
  double objective = 0;
};

struct EvaluatorRow {
  std::string kind;  ///< "" = the run has not said
  std::string device_class;
  std::string toolchain;
  std::int64_t protocol_version = 0;
  bool noisy = false;
};

/// One run, as one reading saw it.
struct RunRows {
  EvaluatorRow evaluator;
  std::int64_t steps = 0;
  std::vector<CandidateRow> candidates;
  std::vector<ParentRow> parents;  ///< by child, then position
  std::vector<GenomeRow> genomes;
  std::vector<std::string> sources;
  std::vector<std::string> notes;  ///< those that candidates name
  /// axis -> one value a candidate; NaN where it has none
  std::map<std::string, std::vector<double>> measures;
  std::vector<DiagnosticRow> diagnostics;
  std::vector<ArchiveEventRow> events;
  std::vector<MigrationRow> migrations;
  std::vector<JobRow> jobs;
  std::vector<ExchangeRow> exchanges;
  std::vector<NumericBatchRow> numeric_batches;
  std::vector<NumericEliteRow> numeric_elites;
  Roofline roofline;
};

/// Reads them in one transaction, so that rows fit each other while a writer goes on.
Result<RunRows> read_rows(const RunReader& reader);

}  // namespace ke
