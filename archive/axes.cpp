#include "archive/axes.hpp"

#include <fmt/format.h>

#include <limits>

namespace ke {
namespace {

constexpr std::size_t most_cells = 1'000'000;

double measure_of(const Candidate& candidate, const Axis& axis) {
  const auto& measures = candidate.evaluation.measures;
  const auto found = measures.find(axis.measure());
  return found == measures.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::vector<Axis> default_axes(const std::vector<AxisInfo>& declared) {
  std::vector<Axis> axes;
  for (const AxisInfo& info : declared) {
    axes.push_back(info.categories.empty() ? Axis::divided(info)
                                           : Axis::with_categories(info, info.categories));
  }
  return axes;
}

void refuse_doubles(Params& params, const std::vector<Axis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (axes[i].measure() == axes[j].measure()) {
        params.fail("axes", fmt::format("has measure '{}' on two axes", axes[i].measure()));
      }
    }
  }
}

}  // namespace

GridPlace place_on(const std::vector<Axis>& axes, const Candidate& candidate) {
  GridPlace place;
  for (const Axis& axis : axes) {
    const Axis::Bin bin = axis.bin_of(measure_of(candidate, axis));
    place.cell = place.cell * axis.bins() + bin.index;
    place.clipped += bin.clipped ? 1 : 0;
  }
  return place;
}

std::vector<double> position_on(const std::vector<Axis>& axes, const Candidate& candidate) {
  std::vector<double> position;
  for (const Axis& axis : axes) position.push_back(axis.position(measure_of(candidate, axis)));
  return position;
}

std::size_t clipped_on(const std::vector<Axis>& axes, const Candidate& candidate) {
  return place_on(axes, candidate).clipped;
}

std::size_t cells_on(const std::vector<Axis>& axes) {
  std::size_t cells = 1;
  for (const Axis& axis : axes) cells *= axis.bins();
  return cells;
}

std::vector<Axis> read_axes(Params& params, const std::vector<AxisInfo>& declared) {
  if (!params.has("axes")) return default_axes(declared);
  std::vector<Axis> axes;
  for (Params& section : params.sections("axes")) {
    if (auto axis = read_axis(section, declared)) axes.push_back(*std::move(axis));
  }
  refuse_doubles(params, axes);
  return axes;
}

std::vector<Axis> read_grid_axes(Params& params, const std::vector<AxisInfo>& declared) {
  std::vector<Axis> axes = read_axes(params, declared);
  double cells = 1;
  for (const Axis& axis : axes) cells *= static_cast<double>(axis.bins());
  if (cells <= static_cast<double>(most_cells)) return axes;
  params.fail("axes", fmt::format("= {:.3g} cells, more than {}", cells, most_cells));
  return {};
}

}  // namespace ke
