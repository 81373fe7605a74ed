// Simulated annealing [Kirkpatrick1983] with geometric cooling. Objectives are ratios, so gains are
// compared as logarithms:
//   accept f' over f when ln(f' / f) >= 0, else with probability exp(ln(f' / f) / T)
//   T(k) = start (end / start)^(k / steps), k = kernels judged since the last heating
// After `steps` kernels it is reheated and continues from the best kernel so far.

#include "core/portable_math.hpp"
#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class SimulatedAnnealing final : public Strategy {
 public:
  explicit SimulatedAnnealing(Params& params)
      : start_(params.real("start", 0.5, {1e-6, 100}, "temperature at first, in units of ln f")),
        end_(params.real("end", 0.01, {1e-9, 100}, "temperature after `steps` kernels")),
        steps_(params.integer("steps", 200, {1, 1'000'000'000}, "kernels from start to end")) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (waiting_.empty() && !current_) waiting_.push_back(best_elites(view.archive).front());
    // Decided here, since only `ask` gets random numbers.
    for (const CandidatePtr& candidate : waiting_) consider(candidate, random);
    waiting_.clear();
    return vary(view, current_, random);
  }

  void tell(const Commit& told) override {
    if (is_usable(*told.candidate)) waiting_.push_back(told.candidate);
  }

 private:
  void consider(const CandidatePtr& candidate, RandomStream& random) {
    if (!best_ || is_better(candidate, best_)) best_ = candidate;
    if (!current_ || accepts(candidate->evaluation.objective, random)) current_ = candidate;
    if (++judged_ < steps_) return;
    judged_ = 0;
    current_ = best_;
  }

  bool accepts(double objective, RandomStream& random) const {
    const double gain = log_ratio(objective, current_->evaluation.objective);
    return gain >= 0 || random.uniform() < portable_exp(gain / temperature());
  }

  double temperature() const {
    const double progress = static_cast<double>(judged_) / static_cast<double>(steps_);
    return start_ * portable_pow(end_ / start_, progress);
  }

  double start_;
  double end_;
  std::int64_t steps_;
  std::int64_t judged_ = 0;
  CandidatePtr current_;
  CandidatePtr best_;
  std::vector<CandidatePtr> waiting_;
};

}  // namespace

std::unique_ptr<Strategy> make_simulated_annealing_strategy(Params& params) {
  return std::make_unique<SimulatedAnnealing>(params);
}

}  // namespace ke
