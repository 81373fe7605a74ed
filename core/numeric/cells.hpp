#pragma once
// Divides the measure space into cells.

#include <cstdint>
#include <span>
#include <vector>

#include "core/numeric/problem.hpp"

namespace ke {

class Cells {
 public:
  struct Place {
    std::uint32_t cell = 0;
    std::uint32_t clipped = 0;  ///< number of measures outside their axes
  };
  virtual ~Cells() = default;
  virtual std::size_t count() const = 0;
  /// The cells of the rows of `measures`, in order.
  virtual void locate(Rows measures, std::span<Place> places) const = 0;
};

/// One axis with bins of equal width.
struct EqualBins {
  double low = 0;
  double high = 1;
  std::uint32_t bins = 1;  ///< >= 1
};

/// Bins of equal width on every axis; the last axis varies fastest in the cell number. The bin of m
/// is floor((m - low) / (high - low) x bins); measures outside are clipped to the border bins.
class GridCells final : public Cells {
 public:
  explicit GridCells(std::vector<EqualBins> axes);
  std::size_t count() const override { return count_; }
  void locate(Rows measures, std::span<Place> places) const override;

 private:
  std::vector<EqualBins> axes_;
  std::size_t count_ = 1;
};

}  // namespace ke
