#pragma once
// An emitter that adapts a CMA-ES to the archive: CMA-ME [Fontaine2020], CMA-MAE [Fontaine2023].

#include <memory>

#include "core/numeric/evolution_strategy.hpp"
#include "core/numeric/ranking.hpp"

namespace ke {

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

}  // namespace ke
