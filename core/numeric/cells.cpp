#include "core/numeric/cells.hpp"

#include "core/result.hpp"

namespace ke {
namespace {

struct Bin {
  std::uint32_t index;
  std::uint32_t clipped;
};

// Compares first: a float outside the integer's range must not be converted.
Bin bin_of(double value, const EqualBins& axis) {
  const double bins = axis.bins;
  const double place = (value - axis.low) / (axis.high - axis.low) * bins;
  if (!(place >= 0)) return {0, 1};
  if (place >= bins) return {axis.bins - 1, value > axis.high ? 1u : 0u};
  return {static_cast<std::uint32_t>(place), 0};
}

}  // namespace

GridCells::GridCells(std::vector<EqualBins> axes) : axes_(std::move(axes)) {
  for (const EqualBins& axis : axes_) {
    KE_CHECK(axis.bins >= 1 && axis.low < axis.high);
    count_ *= axis.bins;
  }
}

void GridCells::locate(Rows measures, std::span<Place> places) const {
  KE_CHECK(measures.width == axes_.size());
  for (std::size_t row = 0; row < places.size(); ++row) {
    Place place;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Bin bin = bin_of(measures.values[row * measures.width + a], axes_[a]);
      place.cell = place.cell * axes_[a].bins + bin.index;
      place.clipped += bin.clipped;
    }
    places[row] = place;
  }
}

}  // namespace ke
