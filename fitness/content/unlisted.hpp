#pragma once
// Draws shapes that no list contains, so that a kernel cannot be right only at the listed ones.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Kinds of lengths that break kernels. m is one of 8, 16, 32, 64, 128, 256.
enum class LengthKind {
  anywhere,     ///< log-uniform over the axis's range
  multiple,     ///< a multiple of m, every second time an odd one
  neighbour,    ///< a multiple of m, plus or minus one
  power,        ///< a power of two, or one below or above it
  listed,       ///< the length of some workload, so that extremes of different workloads meet
  beyond,       ///< longer than in any workload
  past_16_bits  ///< above 65,535
};

/// Bounds of a shape; elements count all tensors together.
struct ShapeSize {
  std::int64_t least_elements = 0;  ///< a goal; if no try reaches it, the largest of several wins
  std::int64_t most_elements = 0;
  std::int64_t most_flops = 0;  ///< by the task's formula; unbounded for a task without one
};

/// Draws shapes of one task. Keeps the properties that a task may silently rely on: common divisors
/// of an axis, and axes that are never longer than another. Borrows task and random source.
class ShapeDrawer {
 public:
  ShapeDrawer(const Task& task, SecretRandom& random);
  /// The axes that vary.
  const std::vector<std::string>& axes() const { return axes_; }
  /// Whether an axis has any length of that kind.
  bool has(const std::string& axis, LengthKind kind) const;
  /// A shape whose `axis` is drawn first, of `kind` as far as the size allows; the other axes share
  /// the rest. None where even the shortest lengths are too large.
  std::optional<AxisLengths> draw(const std::string& axis, LengthKind kind, const ShapeSize& size);
  /// A shape whose `axis` has that length; the other axes share the size that is left. None where
  /// that length alone is too large.
  std::optional<AxisLengths> draw_at(const std::string& axis, std::int64_t length,
                                     const ShapeSize& size);
  /// A shape whose axes `pair` have one length that both may have.
  std::optional<AxisLengths> draw_equal(const std::vector<std::string>& pair,
                                        const ShapeSize& size);
  /// A shape whose axes `first` are, in that order, as long as their ranges and the size allow.
  std::optional<AxisLengths> draw_longest(const std::vector<std::string>& first,
                                          const ShapeSize& size);

 private:
  /// Chooses the lengths of the axes that are drawn first.
  using FirstLength = std::function<std::int64_t(const AxisRange& room)>;
  struct Axis {
    AxisRange range;  ///< both ends are multiples of the divisor
    std::int64_t divisor = 1;
    std::vector<std::int64_t> listed;
    std::vector<std::string> longer;  ///< axes that no workload makes shorter than this one
  };
  /// The first attempt that reaches the desired number of elements, or else the largest.
  std::optional<AxisLengths> largest(const std::vector<std::string>& first,
                                     const FirstLength& first_length, const ShapeSize& size);
  std::optional<AxisLengths> attempt(const std::vector<std::string>& first,
                                     const FirstLength& first_length, const ShapeSize& size);
  AxisLengths with(const std::string& axis, std::int64_t length, const AxisLengths& drawn,
                   AxisLengths shape) const;
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

/// A device's limit on one shape, in addition to the sizes of each purpose.
struct ShapeLimits {
  std::int64_t most_elements = std::numeric_limits<std::int64_t>::max();
};

/// Draws the shapes of one judgement, small ones first: few for a screen, none for a duel, many for
/// a verification, some of those at the sizes of bench shapes and some beyond all listed ones. Each
/// axis in turn gets each kind of length (LengthKind) within its range (axis_range), and in a
/// verification pairs of axes are as long as they may be, or equal. The role is holdout: feedback
/// does not mention these shapes. Errors: none for a task that was read.
std::vector<Workload> unlisted_workloads(const Task& task, JobKind purpose,
                                         const ShapeLimits& limits, SecretRandom& random);

/// For each length of an axis in a workload of more than `most_elements`, one shape of at most that
/// many and at least half as many elements, by shortening the other axes. For devices that call
/// large shapes with few contents.
std::vector<Workload> slim_workloads(const Task& task, std::int64_t most_elements,
                                     SecretRandom& random);

/// Elements over all tensors of a workload, and of the largest one.
std::int64_t elements_of(const Task& task, const Workload& workload);
std::int64_t largest_listed_elements(const Task& task);

}  // namespace ke
