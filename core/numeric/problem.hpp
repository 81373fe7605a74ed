#pragma once
// A numeric quality-diversity problem: vectors in, objectives and measures out.

#include <cstddef>
#include <limits>
#include <span>
#include <string>

namespace ke {

/// Consecutive rows of `width` numbers.
struct Rows {
  std::span<const double> values;
  std::size_t width = 0;
  std::size_t count() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const double> operator[](std::size_t row) const {
    return values.subspan(row * width, width);
  }
};

/// Default range of a measure.
struct MeasureRange {
  std::string name;
  double low = 0;
  double high = 1;
};

/// Pure: equal vectors give equal results on every machine. Objectives are maximised.
class NumericProblem {
 public:
  virtual ~NumericProblem() = default;
  virtual std::size_t dimensions() const = 0;
  virtual std::span<const MeasureRange> measures() const = 0;
  /// `solutions` (n, dimensions) -> `objectives` (n,), `measures` (n, number of measures).
  virtual void evaluate(Rows solutions, std::span<double> objectives,
                        std::span<double> measures) const = 0;
  /// Bounds of every coordinate.
  virtual double low() const { return -std::numeric_limits<double>::infinity(); }
  virtual double high() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace ke
