#include "experiments/run/run_in_memory.hpp"

#include "core/search/search.hpp"
#include "experiments/run/assemble.hpp"

namespace ke {
namespace {

struct NeverStops final : StopToken {
  bool stop_requested() const override { return false; }
};

}  // namespace

Result<StopRecord> run_in_memory(const Experiment& experiment, const Subject& subject,
                                 std::int64_t seed, SearchObserver& observer) {
  KE_TRY(const StartedEvaluator started, start_evaluator(experiment, subject, "", seed));
  ForgetfulFacts facts;
  ForgetfulHistory history;
  const NeverStops never;
  Search search(make_plan(experiment, subject, seed),
                {*started.evaluator, facts, history, observer, never, never});
  return search.run();
}

}  // namespace ke
