#pragma once
// CMA-ES as the engine of an emitter [Hansen2016].

#include <cstdint>
#include <memory>
#include <span>

#include "core/numeric/emitter.hpp"

namespace ke {

/// Samples around a mean; adapts mean, step size and covariance to ranked samples.
class EvolutionStrategy {
 public:
  virtual ~EvolutionStrategy() = default;
  /// Restarts with this mean, step size sigma0 and unit covariance.
  virtual void reset(std::span<const double> mean) = 0;
  /// Fills `solutions` (batch, n). A solution outside the bounds is drawn again, at most 100 times,
  /// then clipped.
  virtual void ask(NormalSource& random, std::span<double> solutions) = 0;
  /// The first `parents` of `order` form the next mean; 0 only advances the generation count.
  virtual void tell(Rows solutions, std::span<const std::uint32_t> order, std::size_t parents) = 0;
  /// Whether the condition number exceeds 1e14 or the step is below 1e-11 in every direction.
  virtual bool degenerate() const = 0;
};

/// Weight of the covariance's rank-one update. standard: c1, with a path in units of sigma
/// [Hansen2016]. squared: c1 squared, with a path in units of x, as in the reference implementation
/// of CMA-ME and CMA-MAE [Tjanaka2023]. This nearly disables the update; the published figures use
/// it.
enum class RankOne { squared, standard };

struct StrategySize {
  std::size_t batch = 36;
  double sigma0 = 0.5;
  RankOne rank_one = RankOne::squared;
};

/// Full covariance. Samples and paths use its Cholesky factor L [Krause2016]: samples have the same
/// distribution as with the eigendecomposition at a tenth of its cost; the step-size path is in the
/// coordinates of L. The factor is recomputed after 1 / (2 n (c1 + cmu)) generations.
std::unique_ptr<EvolutionStrategy> make_full_cma(const SearchSpace& space, StrategySize size);
/// Diagonal covariance with the rates of a separable strategy [Ros2008]. O(n) per sample.
std::unique_ptr<EvolutionStrategy> make_separable_cma(const SearchSpace& space, StrategySize size);

}  // namespace ke
