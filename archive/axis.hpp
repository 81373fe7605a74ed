#pragma once
// Axes of an archive: a measure divided into fixed bins, which never move; and their shape for
// readers and plots.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/params.hpp"

namespace ke {

struct AxisShape {
  std::string measure;
  std::string unit;
  std::vector<std::string> bins;  ///< label of each bin, in order
};

enum class Scale { linear, logarithmic };

/// One value of a categorical measure, e.g. {"256", 256} for a vector width.
struct Category {
  std::string label;
  double value = 0;
};

/// An evaluator's description of a measure, with defaults for its axis.
struct AxisInfo {
  std::string name;
  std::string unit;
  double low = 0;
  double high = 1;
  std::int64_t bins = 8;
  Scale scale = Scale::linear;
  std::vector<Category> categories = {};  ///< by ascending value; empty = continuous
  /// Recorded in [low, high], and no axis until the device declares it; for messages.
  bool recorded_only = false;
};

/// A measure divided into bins.
class Axis {
 public:
  struct Bin {
    std::size_t index = 0;
    bool clipped = false;
  };

  /// `bins` bins of equal width over [low, high]; of equal ratio on a logarithmic scale (low > 0).
  static Axis divided(const AxisInfo& info);
  /// Bins [edges[0], edges[1]), [edges[1], edges[2]), ..., the last one closed; edges ascend, at
  /// least two.
  static Axis with_edges(const AxisInfo& info, std::vector<double> edges);
  /// One bin per category: values from its own up to the next category's.
  static Axis with_categories(const AxisInfo& info, std::vector<Category> categories);

  /// The bin of a value. Values outside are clipped to the border bins; NaN to the lowest one.
  Bin bin_of(double value) const;
  /// Position in [0, 1] along the axis, for distances. Categories are equally spaced; NaN gives 0.
  double position(double value) const;
  std::size_t bins() const { return shape_.bins.size(); }
  const std::string& measure() const { return shape_.measure; }
  const AxisShape& shape() const { return shape_; }
  /// Lower edge of each bin; for continuous axes also the upper edge of the last.
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
/// when the measure is unknown or the bins are invalid.
std::optional<Axis> read_axis(Params& params, const std::vector<AxisInfo>& declared);

}  // namespace ke
