#pragma once
// Emitters propose rows of a batch and learn from the results [Fontaine2020].

#include <memory>
#include <span>
#include <vector>

#include "core/numeric/normal_source.hpp"
#include "core/numeric/numeric_archive.hpp"

namespace ke {

/// Results of an emitter's solutions, row by row.
struct EmitterResults {
  std::span<const double> objectives;
  Rows measures;
  std::span<const NumericAddition> additions;
};

/// All randomness comes from the source given to ask and tell; both change the emitter.
class Emitter {
 public:
  virtual ~Emitter() = default;
  /// Number of solutions per batch.
  virtual std::size_t batch() const = 0;
  /// Fills `solutions` (batch, dimensions).
  virtual void ask(const NumericArchive& archive, NormalSource& random,
                   std::span<double> solutions) = 0;
  /// Reports the rows of the last ask, after all emitters' solutions were added to `archive`.
  virtual void tell(const NumericArchive&, NormalSource&, Rows, const EmitterResults&) {}
};

/// The starting point and bounds of solutions.
struct SearchSpace {
  std::size_t dimensions = 0;
  double start = 0;  ///< every coordinate of the first parent or mean
  double low = 0;    ///< bounds of every coordinate; infinite = none
  double high = 0;
};

/// MAP-Elites [Mouret2015]: an elite drawn uniformly (the start if there is none) plus normal noise
/// with standard deviation `sigma` on every coordinate, clipped to the bounds.
struct GaussianOptions {
  std::size_t batch = 540;
  double sigma = 0.5;
};
std::unique_ptr<Emitter> make_gaussian_emitter(const SearchSpace& space,
                                               const GaussianOptions& options);

/// Iso+LineDD [Vassiliades2018]: x = a + N(0, iso) + N(0, line) (b - a) with elites a and b drawn
/// uniformly and one line factor per solution; around the start if there is no elite.
struct LineOptions {
  std::size_t batch = 540;
  double iso = 0.5;
  double line = 0.2;
};
std::unique_ptr<Emitter> make_line_emitter(const SearchSpace& space, const LineOptions& options);

}  // namespace ke
