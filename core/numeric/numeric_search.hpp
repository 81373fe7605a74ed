#pragma once
// The loop of a numeric quality-diversity search: ask, evaluate, add, tell, commit.

#include <memory>
#include <vector>

#include "core/history.hpp"
#include "core/numeric/emitter.hpp"
#include "core/search/dispatcher.hpp"
#include "core/search/observer.hpp"

namespace ke {

/// Everything a run is; all of it is part of the configuration.
struct NumericPlan {
  RunHeader header;
  std::shared_ptr<const NumericProblem> problem;
  std::vector<std::unique_ptr<Emitter>> emitters;
  /// The emitters' archive; with a soft rule `result` keeps the true elites beside it.
  std::unique_ptr<NumericArchive> archive;
  std::unique_ptr<NumericArchive> result;  ///< null: the archive itself
  std::int64_t iterations = 0;             ///< batches of all emitters
  std::int64_t evaluations = 0;            ///< no batch goes beyond; 0 = no limit
  double target = 0;                       ///< stop at this objective; 0 = never
};

/// What stands around a run. All must outlive it.
struct NumericParts {
  History& history;
  SearchObserver& observer;
  const StopToken& stop;
  const StopToken& safety;
};

/// One thread. Random numbers of iteration t and emitter e come from the stream {seed, island e,
/// step t}: purpose ask for solutions, vary for what tell draws. Run again over a stored history
/// it computes the stored batches anew, compares their hashes and goes on from there.
class NumericSearch {
 public:
  NumericSearch(NumericPlan plan, NumericParts parts);

  /// Commits all batches, not the stop: the caller stores the elites first.
  /// Errors: the store's, and a stored history of another content.
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
