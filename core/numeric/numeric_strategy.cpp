#include "core/numeric/numeric_strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/result.hpp"

namespace ke {
namespace {

struct Named {
  const char* name;
  Ranking ranking;
};
using Value = Ranking::Value;
constexpr std::array<Named, 6> names = {{{"imp", {Value::gain, false}},
                                         {"2imp", {Value::gain, true}},
                                         {"obj", {Value::objective, false}},
                                         {"2obj", {Value::objective, true}},
                                         {"rd", {Value::direction, false}},
                                         {"2rd", {Value::direction, true}}}};

double value_of(const Ranking& ranking, const EmitterResults& results,
                std::span<const double> direction, std::size_t row) {
  if (ranking.value == Value::gain) return results.additions[row].gain;
  if (ranking.value == Value::objective) return results.objectives[row];
  const std::span<const double> measures = results.measures[row];
  return std::inner_product(measures.begin(), measures.end(), direction.begin(), 0.0);
}

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

Ranking ranking_of(const std::string& name) {
  for (const Named& named : names) {
    if (name == named.name) return named.ranking;
  }
  KE_CHECK(name == "2imp");
  return {};
}

std::vector<std::string> ranking_names() {
  std::vector<std::string> list;
  for (const Named& named : names) list.emplace_back(named.name);
  return list;
}

Ranked rank(const Ranking& ranking, const EmitterResults& results,
            std::span<const double> direction) {
  const std::size_t rows = results.objectives.size();
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = value_of(ranking, results, direction, i);
  const auto stage = [&](std::uint32_t row) {
    return ranking.two_stage ? static_cast<int>(results.additions[row].status) : 0;
  };
  Ranked ranked;
  ranked.order.resize(rows);
  std::iota(ranked.order.begin(), ranked.order.end(), 0u);
  std::stable_sort(ranked.order.begin(), ranked.order.end(), [&](auto a, auto b) {
    return stage(a) != stage(b) ? stage(a) > stage(b) : values[a] > values[b];
  });
  if (rows == 0) return ranked;
  const std::uint32_t first = ranked.order.front();
  const std::uint32_t last = ranked.order.back();
  const double stages = stage(first) - stage(last);
  const double distance = values[first] - values[last];
  ranked.spread = std::sqrt(stages * stages + distance * distance);
  return ranked;
}

std::unique_ptr<Emitter> make_strategy_emitter(const SearchSpace& space,
                                               const StrategyEmitterOptions& options) {
  return std::make_unique<StrategyEmitter>(space, options);
}

}  // namespace ke
