#pragma once
// All rows of a run at once, for reports; RunReader answers queries on single candidates.
// References between rows are indices into these lists, from 0; -1 = none.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archive/roofline.hpp"
#include "archive/run_reader.hpp"
#include "core/evaluator.hpp"

namespace ke {

struct CandidateRow {
  LogicalId id;
  std::int64_t step_index = 0;  ///< index of its step in RunRows::steps
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
  double objective = 0;    ///< NaN if the candidate has no objective
  double ci_low = 0;
  double ci_high = 0;
  bool measured = false;
  std::int64_t feedback = -1;  ///< index in RunRows::notes
  std::int64_t cell = -1;      ///< its cell in the passive archive
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
  std::vector<std::string> flags;  ///< one per flag gene; "" = omitted
};

struct DiagnosticRow {
  std::int64_t candidate = 0;
  Diagnostic diagnostic;
};

/// A change of an elite, or a refusal after a duel.
struct ArchiveEventRow {
  std::int64_t step_index = 0;
  std::int64_t island = 0;  ///< -1 = the passive archive
  std::int64_t challenger = 0;
  std::int64_t cell = 0;
  std::int64_t incumbent = -1;
  std::string status;
  std::string decision;
  double bound_low = 0;  ///< interval of the challenger's speedup over the incumbent
  double bound_high = 0;
};

struct MigrationRow {
  std::int64_t step_index = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t migrant = 0;
  std::int64_t chosen_at = 0;
};

/// One job of the evaluator with its cost.
struct JobRow {
  std::int64_t session = -1;
  std::string purpose;
  std::string opponent;
  std::string verdict;
  Cost cost;
  std::int64_t arrived_ms = 0;  ///< since 1970, UTC
  bool compared = false;        ///< the fields below are valid only then
  std::string decision;
  double speedup = 0;
  double ci_low = 0;
  double ci_high = 0;
  double resolvable = 0;
};

struct ExchangeRow {
  std::int64_t session = -1;
  std::int64_t step_index = -1;  ///< first step that uses the exchange
  std::int64_t candidate = -1;   ///< first candidate that uses the exchange
  std::string model;             ///< as returned, otherwise as requested
  std::string status;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double dollars = 0;
};

struct NumericEliteRow {
  std::int64_t cell = 0;
  double objective = 0;
};

/// One run, as seen by one read transaction.
struct RunRows {
  EvaluatorInfo evaluator;  ///< kind "" = not recorded; then protocol 0 and not noisy
  std::int64_t steps = 0;
  std::vector<CandidateRow> candidates;
  std::vector<ParentRow> parents;  ///< ordered by child, then position
  std::vector<GenomeRow> genomes;
  std::vector<std::string> sources;
  std::vector<std::string> notes;  ///< notes that candidates refer to
  /// axis -> one value per candidate; NaN if it has none
  std::map<std::string, std::vector<double>> measures;
  std::vector<DiagnosticRow> diagnostics;
  std::vector<ArchiveEventRow> events;
  std::vector<MigrationRow> migrations;
  std::vector<JobRow> jobs;
  std::vector<ExchangeRow> exchanges;
  std::vector<NumericEliteRow> numeric_elites;
  Roofline roofline;
};

/// Reads all rows in one transaction, so that they are consistent while a writer continues.
Result<RunRows> read_rows(const RunReader& reader);

}  // namespace ke
