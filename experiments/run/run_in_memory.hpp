#pragma once
// Runs a search without saving it.
// Stores that keep nothing, for runs that are not saved.

#include "core/fact_log.hpp"
#include "core/history.hpp"
#include "core/search/observer.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Keeps no fact: a simulated fact is identical when asked for again.
class ForgetfulFacts final : public FactLog {
 public:
  Result<void> append(const Job&, const Fact&) override { return {}; }
  Result<void> append(const Exchange&) override { return {}; }
  Result<std::optional<Fact>> find(const Digest&) const override { return std::optional<Fact>(); }
  Result<std::optional<Exchange>> find_exchange(const Digest&) const override {
    return std::optional<Exchange>();
  }
  Result<Digest> record_hash() const override { return Digest(); }
};

/// Stores only the stop; the search chains the hash itself.
class ForgetfulHistory final : public History {
 public:
  Result<void> begin(const RunHeader&) override { return {}; }
  Result<std::optional<Digest>> hash_at(std::int64_t) const override {
    return std::optional<Digest>();
  }
  Result<std::int64_t> committed_steps() const override { return std::int64_t{0}; }
  Result<void> commit(const StepRecord&) override { return {}; }
  Result<void> finish(const StopRecord& stop) override {
    stop_ = stop;
    return {};
  }
  Result<std::optional<StopRecord>> stop() const override { return stop_; }
  Result<void> add_verified(const VerifiedFigure&) override { return {}; }

 private:
  std::optional<StopRecord> stop_;
};

/// Searches to the end without writing anything. The history hash equals that of a saved run of the
/// same plan. For simulated kinds only: their facts are cheap to compute again.
Result<StopRecord> run_in_memory(const Experiment& experiment, const Subject& subject,
                                 std::int64_t seed, SearchObserver& observer);

}  // namespace ke
