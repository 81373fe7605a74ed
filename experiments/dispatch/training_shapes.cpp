#include "experiments/dispatch/training_shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/random_stream.hpp"
#include "core/text.hpp"
#include "experiments/dispatch/library/common/nearest_shape.hpp"
#include "fitness/task.hpp"

namespace ke {
namespace {

constexpr int draws_for_one = 24;
constexpr std::int64_t reach = 4;  ///< largest factor between drawn and listed lengths

std::string label_of(const Task& task, const AxisLengths& axes) {
  std::vector<std::string> parts;
  for (const std::string& axis : task.axes) {
    if (axes.contains(axis)) parts.push_back(fmt::format("{}={}", axis, axes.at(axis)));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

Error bad_shape(std::string_view shape, std::string_view why) {
  return Error{Failure::usage, fmt::format("--shapes: '{}' {}", shape, why)};
}

Result<AxisLengths> parse_shape(const Task& task, std::string_view text) {
  const AxisLengths& known = task.workloads.front().axes;
  AxisLengths axes;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t sign = word.find('=');
    const std::string axis(word.substr(0, sign));
    if (!known.contains(axis)) {
      return bad_shape(text, fmt::format("names an axis '{}'; it is AXIS=LENGTH of each of {}",
                                         axis, label_of(task, known)));
    }
    const auto length = number_from<std::int64_t>(word.substr(std::min(sign, word.size() - 1) + 1));
    if (!length || *length < 1 || *length > largest_axis) {
      return bad_shape(text, fmt::format("has no length of '{}' in [1, {}]", axis, largest_axis));
    }
    axes[axis] = *length;
  }
  for (const auto& [axis, length] : known) {
    if (!axes.contains(axis)) return bad_shape(text, fmt::format("lacks axis '{}'", axis));
  }
  return axes;
}

/// Adds given shapes; one that was listed for correctness only becomes a deciding shape.
Result<void> add_given(Task& task, const std::string& text) {
  for (const std::string_view one : split(text, ',')) {
    const std::string_view shape = trim(one);
    if (shape.empty()) continue;
    KE_TRY(AxisLengths axes, parse_shape(task, shape));
    const auto listed = std::ranges::find(task.workloads, axes, &Workload::axes);
    if (listed == task.workloads.end()) {
      std::string label = label_of(task, axes);
      task.workloads.push_back({std::move(axes), Role::validation, std::move(label)});
    } else if (listed->role == Role::holdout) {
      return bad_shape(shape, "is a shape of role holdout, which must not decide anything");
    } else if (listed->role == Role::test) {
      listed->role = Role::validation;
    }
  }
  return {};
}

std::vector<std::size_t> lengths_of(const AxisLengths& axes) {
  std::vector<std::size_t> lengths;
  for (const auto& [axis, length] : axes) lengths.push_back(static_cast<std::size_t>(length));
  return lengths;
}

class Drawing {
 public:
  Drawing(const Task& task, std::int64_t seed)
      : task_(task), random_({static_cast<std::uint64_t>(seed), 0, 0, 0, Purpose::test}) {
    for (const Workload& workload : task.workloads) {
      if (!decides(workload.role)) continue;
      for (const auto& [axis, length] : workload.axes) {
        auto [range, added] = ranges_.try_emplace(axis, length, length);
        range->second = {std::min(range->second.first, length),
                         std::max(range->second.second, length)};
      }
      most_bytes_ = std::max(most_bytes_, bytes_at(workload).value_or(0));
    }
  }

  /// Returns the candidate farthest from all deciding shapes; nothing if none can be found.
  std::optional<Workload> next() {
    std::optional<Workload> best;
    double farthest = 0;
    for (int i = 0; i < draws_for_one; ++i) {
      Workload drawn{draw(), Role::validation, ""};
      if (!fits(drawn)) continue;
      const double apart = distance(drawn.axes);
      if (apart <= farthest) continue;
      farthest = apart;
      best = std::move(drawn);
    }
    if (best) best->label = label_of(task_, best->axes);
    return best;
  }

 private:
  std::optional<std::int64_t> bytes_at(const Workload& workload) const {
    const auto bytes = task_.value(task_.bytes, workload);
    return bytes && *bytes > 0 ? std::optional(*bytes) : std::nullopt;
  }

  AxisLengths draw() {
    AxisLengths axes;
    for (const auto& [axis, range] : ranges_) {
      const double low = std::log(static_cast<double>(range.first) / reach);
      const double high = std::log(static_cast<double>(range.second) * reach);
      const double length = std::exp(low + (high - low) * random_.uniform());
      const std::int64_t divisor = common_divisor(task_, axis);
      const auto steps = static_cast<std::int64_t>(length / static_cast<double>(divisor));
      axes[axis] = std::clamp<std::int64_t>(steps, 1, largest_axis / divisor) * divisor;
    }
    return axes;
  }

  bool fits(const Workload& drawn) const {
    const auto bytes = bytes_at(drawn);
    if (!bytes || *bytes > most_bytes_ || !keeps_order(task_, drawn.axes)) return false;
    const auto row = task_.value(task_.row, drawn);
    const bool listed =
        std::ranges::find(task_.workloads, drawn.axes, &Workload::axes) != task_.workloads.end();
    return !listed && row && *row > 0 &&
           std::ranges::all_of(task_.tensors, [&](const TensorSpec& tensor) {
             const auto elements = task_.elements(tensor, drawn);
             return elements && *elements > 0;
           });
  }

  double distance(const AxisLengths& axes) const {
    const std::vector<std::size_t> own = lengths_of(axes);
    double least = std::numeric_limits<double>::infinity();
    for (const Workload& workload : task_.workloads) {
      if (!decides(workload.role)) continue;
      const std::vector<std::size_t> other = lengths_of(workload.axes);
      least = std::min(least, dispatch::squared_distance(own.data(), other.data(), own.size()));
    }
    return least;
  }

  const Task& task_;
  RandomStream random_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges_;
  std::int64_t most_bytes_ = 0;
};

}  // namespace

bool decides(Role role) { return role == Role::bench || role == Role::validation; }

Result<Task> with_training_shapes(const Task& task, const ShapeRequest& request) {
  Task more = task;
  KE_TRY_VOID(add_given(more, request.given));
  Drawing drawing(more, request.seed);
  for (std::int64_t i = 0; i < request.drawn; ++i) {
    auto drawn = drawing.next();
    if (!drawn) break;
    more.workloads.push_back(*std::move(drawn));
  }
  Encoder content;
  content("dispatch/1")(task.content_hash);
  for (const Workload& workload : more.workloads) content(workload.label)(to_string(workload.role));
  more.content_hash = content.digest();
  return more;
}

}  // namespace ke
