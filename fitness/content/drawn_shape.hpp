#pragma once
// One random shape of a task, with an axis of a chosen kind and within limits of size.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitness/content/secret_random.hpp"
#include "fitness/shape_rules.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Kinds of lengths at which kernels go wrong. m is one of 8, 16, 32, 64, 128, 256.
enum class LengthKind {
  anywhere,     ///< uniform in the logarithm over the axis's range
  multiple,     ///< of m, every second time an odd one
  neighbour,    ///< a multiple of m, plus or minus one
  power,        ///< a power of two, the number below or above it
  listed,       ///< that of some workload: extremes of different ones meet
  beyond,       ///< longer than any workload's
  past_16_bits  ///< above 65,535
};

/// Bounds of a shape; elements are those of all tensors together.
struct ShapeSize {
  std::int64_t least_elements = 0;  ///< a wish: the largest of several tries where none has them
  std::int64_t most_elements = 0;
  std::int64_t most_flops = 0;  ///< by the task's formula; a task without one is not bounded
};

/// Draws shapes of one task. What a task may silently rely on is kept: common divisors of an axis,
/// and axes that are nowhere longer than another. Task and random source are borrowed.
class ShapeDrawer {
 public:
  ShapeDrawer(const Task& task, SecretRandom& random);
  /// The axes that vary.
  const std::vector<std::string>& axes() const { return axes_; }
  /// Whether an axis has lengths of that kind at all.
  bool has(const std::string& axis, LengthKind kind) const;
  /// A shape whose `axis` is drawn first and of `kind`, as far as the size allows; the others get
  /// what room is left. None where even the shortest lengths are too large.
  std::optional<AxisLengths> draw(const std::string& axis, LengthKind kind, const ShapeSize& size);
  /// A shape whose `axis` has that length; the others get what room is left. None where
  /// there is no room for it.
  std::optional<AxisLengths> draw_at(const std::string& axis, std::int64_t length,
                                     const ShapeSize& size);

 private:
  /// Chooses the length of the axis that is drawn first.
  using FirstLength = std::function<std::int64_t(const AxisRange& room)>;
  struct Axis {
    AxisRange range;  ///< both ends are multiples of the divisor
    std::int64_t divisor = 1;
    std::vector<std::int64_t> listed;
    std::vector<std::string> shorter, longer;  ///< axes never longer, or never shorter, than it
  };
  /// The first of some attempts with the wished number of elements, or the largest.
  std::optional<AxisLengths> largest(const std::string& axis, const FirstLength& first_length,
                                     const ShapeSize& size);
  std::optional<AxisLengths> attempt(const std::string& first, const FirstLength& first_length,
                                     const ShapeSize& size);
  AxisRange room(const std::string& name, const AxisLengths& drawn, const AxisLengths& shape,
                 const ShapeSize& size) const;
  std::int64_t length(const Axis& axis, LengthKind kind, const AxisRange& room);
  std::int64_t log_uniform(std::int64_t low, std::int64_t high);
  std::int64_t multiple(const AxisRange& room);
  std::int64_t power(const AxisRange& room);
  LengthKind any_kind();
  std::optional<std::int64_t> elements_within(const AxisLengths& shape,
                                              const ShapeSize& size) const;

  const Task& task_;
  SecretRandom& random_;
  std::vector<std::string> axes_;
  std::map<std::string, Axis> by_name_;
};

}  // namespace ke
