// Greedy hill climbing with restarts: iterated first-improvement local search [Lourenco2003].
//   current <- first kernel told
//   repeat: child <- vary(current); if f(child) > f(current): current <- child
//   after `patience` children in a row that are not better: current <- a fresh start (0 = never)
// Only the incumbent is varied; operators with several parents take the others from the elites.

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class Greedy final : public Strategy {
 public:
  explicit Greedy(Params& params)
      : patience_(params.integer("patience", 0, {0, 1'000'000},
                                 "children in a row without a gain before a fresh start; 0 = "
                                 "never")) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (!current_ && !restarting_) current_ = best_elites(view.archive).front();
    if (patience_ > 0 && barren_ >= patience_) {
      current_.reset();
      restarting_ = true;
      barren_ = 0;
    }
    return current_ ? vary(view, current_, random) : fresh(view, random);
  }

  void tell(const Commit& told) override {
    const CandidatePtr& candidate = told.candidate;
    ++barren_;
    if (!is_usable(*candidate)) return;
    // While restarting, a late child of the abandoned incumbent is not a fresh start.
    const bool starts = !current_ && candidate->ancestors.empty();
    if (!starts && !(current_ && is_better(candidate, current_))) return;
    current_ = candidate;
    restarting_ = false;
    barren_ = 0;
  }

 private:
  std::int64_t patience_;
  CandidatePtr current_;
  bool restarting_ = false;
  std::int64_t barren_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_greedy_strategy(Params& params) {
  return std::make_unique<Greedy>(params);
}

}  // namespace ke
