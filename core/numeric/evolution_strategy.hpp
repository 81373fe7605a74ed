#pragma once
// CMA-ES as the engine of an emitter [Hansen2016].

#include <cstdint>
#include <memory>
#include <span>

#include "core/numeric/emitter.hpp"

namespace ke {

/// Samples around a mean and adapts mean, step size and covariance to ranked samples.
class EvolutionStrategy {
 public:
  virtual ~EvolutionStrategy() = default;
  /// Starts afresh: this mean, step size sigma0, unit covariance.
  virtual void reset(std::span<const double> mean) = 0;
  /// Fills `solutions` (batch, n). Outside of the bounds a solution is drawn again, 100 times at
  /// most, then clipped.
  virtual void ask(NormalSource& random, std::span<double> solutions) = 0;
  /// The first `parents` of `order` become the next mean; 0 changes nothing but the count.
  virtual void tell(Rows solutions, std::span<const std::uint32_t> order, std::size_t parents) = 0;
  /// Condition number above 1e14, or steps below 1e-11 in every direction.
  virtual bool degenerate() const = 0;
};

/// Weight of the rank-one update of the covariance. standard: c1, with a path in units of sigma
/// [Hansen2016]. squared: c1 squared, with a path in units of x, as the reference implementation
/// of CMA-ME and CMA-MAE computes it [Tjanaka2023]; nearly none, and the variant behind its
/// published figures.
enum class RankOne { standard, squared };

struct StrategySize {
  std::size_t batch = 36;
  double sigma0 = 0.5;
  RankOne rank_one = RankOne::squared;
};

/// Full covariance. Samples and paths use its Cholesky factor L [Krause2016]: the distribution of
/// samples is that of the eigendecomposition at a tenth of its cost, and the path of the step size
/// lives in the coordinates of L. The factor is renewed after 1 / (2 n (c1 + cmu)) generations.
std::unique_ptr<EvolutionStrategy> make_full_cma(const SearchSpace& space, StrategySize size);
/// Diagonal covariance with the rates of a separable strategy [Ros2008]. O(n) a sample.
std::unique_ptr<EvolutionStrategy> make_separable_cma(const SearchSpace& space, StrategySize size);

}  // namespace ke
