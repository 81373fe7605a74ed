#pragma once
// Selects a dispatcher's kernels and decides which one each shape calls. Pure functions of figures.

#include <cstddef>
#include <vector>

#include "core/workload_mean.hpp"
#include "experiments/dispatch/library/common/nearest_shape.hpp"
#include "experiments/study/summary/run_summary.hpp"

namespace ke {

/// Speedups over the anchor, (kernels, shapes). Kernel 0 is the anchor: exactly 1 everywhere.
using SpeedupTable = std::vector<std::vector<SpeedupFigure>>;

/// Greedily selects at most `most` kernels beside the anchor, in order of selection. Each step adds
/// the kernel that most increases the mean, over shapes, of the best selected kernel, and at least
/// by the factor 1 + `min_gain`. Reaches at least 1 - 1/e of the best choice's gain in a mean of
/// logarithms [Nemhauser1978]. O(most x kernels x shapes).
std::vector<std::size_t> choose_few(const SpeedupTable& table, const ShapeMean& mean,
                                    std::size_t most, double min_gain);

enum class DispatchKind { nearest_shape, one_kernel };

struct DispatchRule {
  DispatchKind kind = DispatchKind::one_kernel;
  /// (shapes, kernels): the kernels from best to worst. All rows are equal for one_kernel.
  std::vector<std::vector<std::size_t>> orders;
  /// Means of the speedups over the anchor that both kinds reach at shapes left out of
  /// their choice, one at a time. 0 with fewer than three shapes.
  double left_out_nearest = 0;
  double left_out_one = 0;
  /// Calls the anchor if an axis of the shape differs from the nearest shape's by more than this
  /// factor, or is shorter than in all shapes.
  double reach = dispatch::usual_reach;
};

/// The generalist has the highest mean over shapes among the kernels whose mean is above
/// the anchor's with 95 % confidence; it is the anchor if there is none. A shape calls its fastest
/// kernel if that beats the generalist there with 95 % confidence, else the generalist. An
/// unmeasured shape takes the order of the nearest one (`dispatch::nearest_shape`) if it is known
/// (`dispatch::is_known`), else the anchor. The generalist replaces all orders if that is no slower
/// in the mean, with measured and left-out shapes weighted equally. `lengths`: (shapes, axes).
DispatchRule make_rule(const SpeedupTable& table, const ShapeMean& mean,
                       const std::vector<std::vector<std::size_t>>& lengths);

}  // namespace ke
