#pragma once
// Axes of an archive: a measure, cut into fixed bins. Bins never move.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "archive/axis_shape.hpp"
#include "core/params.hpp"

namespace ke {

enum class Scale { linear, logarithmic };

/// One value of a measure that comes in kinds, e.g. {"256", 256} of a vector width.
struct Category {
  std::string label;
  double value = 0;
};

/// What an evaluator says about a measure, defaults for its axis included.
struct AxisInfo {
  std::string name;
  std::string unit;
  double low = 0;
  double high = 1;
  std::int64_t bins = 8;
  Scale scale = Scale::linear;
  std::vector<Category> categories = {};  ///< by rising value; empty = continuous
};

/// A measure cut into bins.
class Axis {
 public:
  struct Bin {
    std::size_t index = 0;
    bool clipped = false;
  };

  /// `bins` of equal width over [low, high], on a logarithmic scale of equal ratio (low > 0).
  static Axis divided(const AxisInfo& info);
  /// Bins [edges[0], edges[1]), [edges[1], edges[2]), ..., the last one closed. At least two,
  /// rising.
  static Axis with_edges(const AxisInfo& info, std::vector<double> edges);
  /// One bin for each category: values from its own up to the next one's.
  static Axis with_categories(const AxisInfo& info, std::vector<Category> categories);

  /// The bin of a value. Values outside are clipped into the border bins; NaN into the lowest one.
  Bin bin_of(double value) const;
  /// Place in [0, 1] along the axis, for distances. Categories are equally spaced; NaN is 0.
  double position(double value) const;
  std::size_t bins() const { return shape_.bins.size(); }
  const std::string& measure() const { return shape_.measure; }
  const AxisShape& shape() const { return shape_; }
  /// Lower edge of each bin, then for continuous axes the upper edge of the last.
  const std::vector<double>& edges() const { return edges_; }

 private:
  Axis(const AxisInfo& info, std::vector<double> edges, bool categorical);
  AxisShape shape_;
  std::vector<double> edges_;
  bool categorical_;
  Scale scale_;
};

/// Reads one axis, e.g. {measure: arithmetic_intensity, low: 0.05, high: 16, bins: 6, scale: log}
/// or {measure: vector_width, bins: [scalar, 128, 256, 512]}. Nothing (and an error in the log)
/// when the measure is unknown or the bins are impossible.
std::optional<Axis> read_axis(Params& params, const std::vector<AxisInfo>& declared);

}  // namespace ke
