#include "fitness/content/shapes.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

// A task's tolerance fits its listed shapes; sums of other lengths round more. Kernels with a
// structural error miss by far more than this factor. A tolerance with an absolute part is fitted
// to no shape.
constexpr double drawn_tolerance_factor = 16;
// Among thousands of rows with few elements, some are sums that cancel out.
constexpr std::int64_t short_row = 64;

int position_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

Result<TensorShape> resolve(const Task& task, const TensorSpec& spec, const Workload& workload) {
  TensorShape shape;
  KE_TRY(shape.elements, task.elements(spec, workload));
  shape.bytes = shape.elements * static_cast<std::int64_t>(bytes_of(spec.dtype));
  for (const Expression& dimension : spec.shape) {
    KE_TRY(const std::int64_t length, task.value(dimension, workload));
    shape.dims.push_back(length);
    shape.rotated_by.push_back(position_of(task.permute_axes, dimension.text()));
  }
  return shape;
}

Result<std::int64_t> axis_length(const Task& task, const std::string& axis,
                                 const Workload& workload) {
  KE_TRY(const Expression name, Expression::parse(axis));
  return task.value(name, workload);
}

}  // namespace

Result<Shapes> resolve_shapes(const Task& task, const Workload& workload) {
  Shapes shapes;
  for (const TensorSpec& spec : task.tensors) {
    KE_TRY(TensorShape shape, resolve(task, spec, workload));
    shapes.tensors.push_back(std::move(shape));
    shapes.inputs += spec.output ? 0 : 1;
    std::int64_t high = 0;
    if (!spec.output && is_int(spec.dtype)) {
      KE_TRY(high, task.value(spec.range_high, workload));
      if (high <= spec.range_low) {
        return Error{Failure::config, fmt::format("tensor '{}' at {}: range [{}, {}) is empty",
                                                  spec.name, workload.label, spec.range_low, high)};
      }
    }
    shapes.range_high.push_back(high);
  }
  for (const std::string& axis : task.axis_arguments) {
    KE_TRY(const std::int64_t length, axis_length(task, axis, workload));
    shapes.axis_arguments.push_back(length);
  }
  for (const std::string& axis : task.permute_axes) {
    KE_TRY(const std::int64_t length, axis_length(task, axis, workload));
    shapes.permuted.push_back(length);
  }
  KE_TRY(shapes.row, task.value(task.row, workload));
  shapes.row = std::max<std::int64_t>(shapes.row, 1);
  if (workload.drawn && task.tolerance.absolute == 0)
    shapes.tolerance_factor = drawn_tolerance_factor;
  shapes.one_scale = workload.drawn && shapes.row < short_row;
  return shapes;
}

}  // namespace ke
