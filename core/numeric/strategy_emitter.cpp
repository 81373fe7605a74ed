#include "core/numeric/strategy_emitter.hpp"

#include <algorithm>
#include <vector>

namespace ke {
namespace {

class StrategyEmitter final : public Emitter {
 public:
  StrategyEmitter(const SearchSpace& space, const StrategyEmitterOptions& options)
      : options_(options),
        strategy_(options.separable ? make_separable_cma(space, options.size)
                                    : make_full_cma(space, options.size)) {
    strategy_->reset(std::vector<double>(space.dimensions, space.start));
  }
  std::size_t batch() const override { return options_.size.batch; }

  void ask(const NumericArchive&, NormalSource& random, std::span<double> solutions) override {
    strategy_->ask(random, solutions);
  }

  void tell(const NumericArchive& archive, NormalSource& random, Rows solutions,
            const EmitterResults& results) override {
    if (direction_.empty()) point_anywhere(results.measures.width, random);
    const Ranked ranked = rank(options_.ranking, results, direction_);
    const auto entered = static_cast<std::size_t>(
        std::count_if(results.additions.begin(), results.additions.end(),
                      [](const auto& a) { return a.status != NumericStatus::rejected; }));
    const bool filter = options_.selection == Selection::filter;
    strategy_->tell(solutions, ranked.order, filter ? entered : batch() / 2);
    const bool fruitless = options_.restart == Restart::no_improvement && entered == 0;
    const bool flat = batch() >= 2 && ranked.spread < 1e-12;
    if ((fruitless || flat || strategy_->degenerate()) && archive.filled() > 0) {
      strategy_->reset(archive.solution(static_cast<std::size_t>(random.below(archive.filled()))));
      direction_.clear();
    }
  }

 private:
  void point_anywhere(std::size_t measures, NormalSource& random) {
    direction_.resize(measures);
    random.fill(direction_);
  }

  StrategyEmitterOptions options_;
  std::unique_ptr<EvolutionStrategy> strategy_;
  std::vector<double> direction_;  ///< in measure space; redrawn after a restart
};

}  // namespace

std::unique_ptr<Emitter> make_strategy_emitter(const SearchSpace& space,
                                               const StrategyEmitterOptions& options) {
  return std::make_unique<StrategyEmitter>(space, options);
}

}  // namespace ke
