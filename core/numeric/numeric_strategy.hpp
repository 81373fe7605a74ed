#pragma once
// The table of numeric strategies: values of `strategy.kind` beside the kernel strategies.
// An emitter that adapts a CMA-ES to the archive: CMA-ME [Fontaine2020], CMA-MAE [Fontaine2023].

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/numeric/emitter.hpp"
#include "core/numeric/evolution_strategy.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

/// imp: gain; obj: objective; rd: projection on a random direction in measure space, redrawn at
/// each restart [Fontaine2020]. two_stage ranks new cells before improvements before rejected
/// solutions.
struct Ranking {
  enum class Value { gain, objective, direction };
  Value value = Value::gain;
  bool two_stage = true;
};

/// Parses imp | 2imp | obj | 2obj | rd | 2rd.
Ranking ranking_of(const std::string& name);
std::vector<std::string> ranking_names();

struct Ranked {
  std::vector<std::uint32_t> order;  ///< rows, best first; ties keep their order
  /// Difference between best and worst: of the values, and of the stages if there are two.
  double spread = 0;
};

/// `direction` (measures,) is used only by rd.
Ranked rank(const Ranking& ranking, const EmitterResults& results,
            std::span<const double> direction);

/// The parents of the next generation: the better half (mu), or those that entered the archive
/// (filter).
enum class Selection { mu, filter };
/// When to restart, besides a degenerate or flat strategy: when no solution entered the archive, or
/// never (basic).
enum class Restart { no_improvement, basic };

struct StrategyEmitterOptions {
  StrategySize size;
  bool separable = false;
  Ranking ranking;
  Selection selection = Selection::filter;
  Restart restart = Restart::no_improvement;
};

/// Starts at the space's start, restarts at an elite drawn uniformly. Flat means that best and
/// worst ranked values differ by less than 1e-12.
std::unique_ptr<Emitter> make_strategy_emitter(const SearchSpace& space,
                                               const StrategyEmitterOptions& options);

/// The parsed options of a strategy.
struct NumericStrategy {
  std::int64_t iterations = 0;
  double start = 0;  ///< every coordinate of the first parent or mean
  std::optional<SoftRule> soft;
  std::function<std::vector<std::unique_ptr<Emitter>>(const SearchSpace&)> emitters;
};

using NumericStrategyFactory = NumericStrategy (*)(Params&);

/// All numeric strategies, sorted by name.
std::span<const Component<NumericStrategyFactory>> numeric_strategies();

}  // namespace ke
