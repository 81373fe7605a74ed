#pragma once
// Which kernels a dispatcher needs, and which of them is called where. Functions of figures alone.

#include <cstddef>
#include <vector>

#include "experiments/dispatch/library/nearest_shape.hpp"
#include "experiments/report/run_summary.hpp"

namespace ke {

/// Speedups over the anchor, (kernels, shapes). Kernel 0 is the anchor: 1 everywhere, exactly.
using SpeedupTable = std::vector<std::vector<SpeedupFigure>>;

/// At most `most` kernels beside the anchor, in the order in which they were taken: each adds most
/// to the geometric mean, over shapes, of the best kernel that is there, and at least the factor
/// 1 + `min_gain`. Greedy, so that is at least 1 - 1/e of what the best choice gains in the mean of
/// logarithms [Nemhauser1978]. O(most x kernels x shapes).
std::vector<std::size_t> choose_few(const SpeedupTable& table, std::size_t most, double min_gain);

enum class DispatchKind { nearest_shape, one_kernel };

struct DispatchRule {
  DispatchKind kind = DispatchKind::one_kernel;
  /// (shapes, kernels): the kernels from best to worst. For one_kernel equal in all rows.
  std::vector<std::vector<std::size_t>> orders;
  /// Geometric means of the speedups over the anchor that both kinds reach at shapes that are left
  /// out of their choice, each in turn. 0 below three shapes.
  double left_out_nearest = 0;
  double left_out_one = 0;
  /// The anchor is called where an axis of the nearest shape is longer or shorter by more than this
  /// factor, and where an axis is shorter than in all shapes.
  double reach = dispatch::usual_reach;
};

/// The generalist has the highest geometric mean over shapes among the kernels whose mean is above
/// the anchor's with 95 % confidence; the anchor itself where there is none. At a shape the fastest
/// kernel stands in its place if it is faster than the generalist there with 95 % confidence. A
/// shape that was not measured takes the order of the nearest one (`dispatch::nearest_shape`) if
/// it is known (`dispatch::is_known`), and calls the anchor if not. The generalist takes
/// the place of all orders where that is no slower in the mean, half of the calls being at measured
/// shapes and half at such as were left out. `lengths`: (shapes, axes).
DispatchRule make_rule(const SpeedupTable& table,
                       const std::vector<std::vector<std::size_t>>& lengths);

}  // namespace ke
