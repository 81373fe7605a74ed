#pragma once
// Shapes of a task's tensors at one workload, and the effect of rotating axes on their elements.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "fitness/task.hpp"

namespace ke {

/// One tensor at a workload, row-major without gaps.
struct TensorShape {
  std::vector<std::int64_t> dims;
  std::vector<int> rotated_by;  ///< per dimension: position in task.permute_axes, or -1
  std::int64_t elements = 1;
  std::int64_t bytes = 0;
};

/// The shapes of all tensors at a workload.
struct Shapes {
  std::vector<TensorShape> tensors;          ///< in the order of task.tensors
  std::vector<std::int64_t> axis_arguments;  ///< values of task.axis_arguments
  std::vector<std::int64_t> permuted;        ///< lengths of task.permute_axes
  std::size_t inputs = 0;                    ///< tensors[0, inputs) are inputs
  std::int64_t row = 1;                      ///< elements of one output row
  std::vector<std::int64_t> range_high;      ///< per tensor; integer inputs only
  double tolerance_factor = 1;               ///< factor on the task's tolerance
  bool one_scale = false;  ///< the tolerance uses the rms of the whole output, not of each row

  /// Bytes of all tensors together.
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const TensorShape& tensor : tensors) sum += tensor.bytes;
    return sum;
  }
};

/// Evaluates all shapes. Errors: a dimension below 1, an empty range.
Result<Shapes> resolve_shapes(const Task& task, const Workload& workload);

/// Calls `visit(to, from, count)` for each contiguous run under a rotation: element (j_0, j_1, ...)
/// of the result is element ((j_0 + o_0) % n_0, ...) of the source. An axis rotates by the same
/// offset in every tensor. `offsets` are per permute axis, 0 <= o < length.
template <typename Visit>
void for_each_run(const TensorShape& shape, std::span<const std::int64_t> offsets, Visit visit) {
  std::size_t inner = shape.dims.size();  // dimensions [inner, ...) move as one block
  std::int64_t block = 1;
  const auto offset = [&](std::size_t d) {
    return shape.rotated_by[d] < 0 ? 0 : offsets[static_cast<std::size_t>(shape.rotated_by[d])];
  };
  while (inner > 0 && offset(inner - 1) == 0) block *= shape.dims[--inner];
  if (inner == 0) return visit(std::int64_t{0}, std::int64_t{0}, block);
  const std::int64_t length = shape.dims[--inner];
  const std::int64_t split = length - offset(inner);
  std::vector<std::int64_t> position(inner, 0);
  const std::int64_t lines = shape.elements / (length * block);
  for (std::int64_t line = 0; line < lines; ++line) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < inner; ++d) {
      const std::int64_t moved = position[d] + offset(d);
      source = source * shape.dims[d] + (moved < shape.dims[d] ? moved : moved - shape.dims[d]);
    }
    const std::int64_t to = line * length * block;
    const std::int64_t from = source * length * block;
    visit(to, from + (length - split) * block, split * block);
    visit(to + split * block, from, (length - split) * block);
    for (std::size_t d = inner; d-- > 0;) {
      if (++position[d] < shape.dims[d]) break;
      position[d] = 0;
    }
  }
}

}  // namespace ke
