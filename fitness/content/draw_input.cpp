#include "fitness/content/draw_input.hpp"

#include <algorithm>
#include <cmath>

#include "fitness/content/content.hpp"
#include "fitness/content/generate.hpp"

namespace ke {
namespace {

template <typename T>
void flush_subnormals(const Task& task, Dtype dtype, std::span<T> values) {
  if (task.subnormals != Subnormals::flush || dtype == Dtype::float16) return;
  const auto least = static_cast<T>(format_of(dtype).least_normal);
  for (T& value : values) {
    if (std::abs(value) < least) value = std::copysign(T{0}, value);
  }
}

/// Multiplies by the tensor's scale; finite values stay finite.
template <typename T>
void apply_scale(const TensorSpec& spec, std::span<T> values) {
  if (spec.scale == 1) return;
  const auto most = static_cast<T>(format_of(spec.dtype).largest);
  for (T& value : values) {
    if (std::isfinite(value)) value = std::clamp(value * static_cast<T>(spec.scale), -most, most);
  }
}

template <typename T>
void finish_floats(const Task& task, const TensorSpec& spec, std::vector<T>& values,
                   std::byte* to) {
  apply_scale(spec, std::span(values));
  flush_subnormals(task, spec.dtype, std::span(values));
  narrow_all(spec.dtype, std::span<const T>(values), to);
}

}  // namespace

void leave_out_subnormals(const Task& task, Dtype dtype, std::span<double> values) {
  flush_subnormals(task, dtype, values);
}

std::vector<std::byte> draw_input(const Task& task, const Shapes& shapes, std::size_t input,
                                  const std::string& input_class, SecretRandom& random) {
  const TensorSpec& spec = task.tensors[input];
  const TensorShape& shape = shapes.tensors[input];
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.bytes));
  const auto elements = static_cast<std::size_t>(shape.elements);
  if (is_int(spec.dtype)) {
    generate_ints(input_class, spec.range_low, shapes.range_high[input], random, spec.dtype, bytes);
  } else if (spec.dtype == Dtype::float64) {
    std::vector<double> values(elements);
    generate_doubles(input_class, shape.dims.back(), random, values);
    finish_floats(task, spec, values, bytes.data());
  } else {
    std::vector<float> values(elements);
    generate_floats(input_class, shape.dims.back(), random, values, spec.dtype);
    finish_floats(task, spec, values, bytes.data());
  }
  return bytes;
}

}  // namespace ke
