#pragma once
// The loop of a numeric quality-diversity search: ask, evaluate, add, tell, commit.

#include <memory>
#include <vector>

#include "core/history.hpp"
#include "core/numeric/emitter.hpp"
#include "core/search/dispatcher.hpp"
#include "core/search/observer.hpp"

namespace ke {

/// The complete definition of a run; all of it belongs to the configuration.
struct NumericPlan {
  RunHeader header;
  std::shared_ptr<const NumericProblem> problem;
  std::vector<std::unique_ptr<Emitter>> emitters;
  /// The emitters' archive; with a soft rule, `result` keeps the best elites in addition.
  std::unique_ptr<NumericArchive> archive;
  std::unique_ptr<NumericArchive> result;  ///< null = `archive`
  std::int64_t iterations = 0;             ///< batches of all emitters
  std::int64_t evaluations = 0;            ///< no batch exceeds this total; 0 = no limit
  double target = 0;                       ///< stop at this objective; 0 = never
};

/// Dependencies of a run. All must outlive it.
struct NumericParts {
  History& history;
  SearchObserver& observer;
  const StopToken& stop;
  const StopToken& safety;
};

/// Single-threaded. Iteration t of emitter e draws from the stream {seed, island e, step t}, with
/// purpose ask for solutions and vary for tell. Over a stored history, the run recomputes the
/// stored batches, compares their hashes and continues after them.
class NumericSearch {
 public:
  NumericSearch(NumericPlan plan, NumericParts parts);

  /// Commits all batches but not the stop: the caller stores the elites first. Errors: store
  /// failures, or a stored history that differs.
  Result<StopRecord> run();
  const NumericArchive& elites() const { return plan_.result ? *plan_.result : *plan_.archive; }

 private:
  std::string reason_to_stop(std::int64_t iteration) const;
  void step(std::int64_t iteration);
  NumericBatch summary() const;
  Result<void> commit(std::int64_t iteration);

  NumericPlan plan_;
  NumericParts parts_;
  std::size_t batch_ = 0;
  std::vector<double> solutions_;
  std::vector<double> objectives_;
  std::vector<double> measures_;
  std::vector<NumericAddition> additions_;
  std::vector<NumericAddition> result_additions_;
  std::int64_t stored_ = 0;
  Digest hash_;
  SearchStatus status_;
};

}  // namespace ke
