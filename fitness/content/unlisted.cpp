#include "fitness/content/unlisted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "fitness/content/shapes.hpp"

namespace ke {
namespace {

constexpr double most_steps = 1 << 30;  // about a second for an oracle that visits each step

constexpr int attempts = 16;
constexpr std::int64_t past_16 = 65536;

std::int64_t rounded_up(std::int64_t length, std::int64_t divisor) {
  return (length + divisor - 1) / divisor * divisor;
}

/// Shapes of similar size. The bounds limit the oracle to milliseconds for small shapes, tens of
/// milliseconds for middle ones and tenths of a second for large ones.
struct Batch {
  int shapes;
  ShapeSize size;
  std::span<const LengthKind> kinds;
};

constexpr LengthKind all_kinds[] = {LengthKind::anywhere,  LengthKind::multiple,
                                    LengthKind::neighbour, LengthKind::power,
                                    LengthKind::listed,    LengthKind::beyond};
constexpr LengthKind long_kinds[] = {LengthKind::past_16_bits, LengthKind::past_16_bits,
                                     LengthKind::beyond, LengthKind::multiple};
constexpr LengthKind large_kinds[] = {LengthKind::past_16_bits, LengthKind::beyond,
                                      LengthKind::multiple, LengthKind::listed};
constexpr ShapeSize small_shapes{0, 1 << 14, 1 << 22};
constexpr ShapeSize middle_shapes{1 << 14, 1 << 20, 1 << 23};
constexpr ShapeSize large_shapes{1 << 18, 1 << 24, 1 << 26};
constexpr std::int64_t beyond_lists = 4;  // factor on the largest workload that bounds large shapes

constexpr Batch screened[] = {{8, small_shapes, all_kinds}};
constexpr Batch verified[] = {
    {96, small_shapes, all_kinds}, {24, middle_shapes, long_kinds}, {4, large_shapes, large_kinds}};

constexpr std::size_t most_pairs = 8;
constexpr int equal_shapes = 4;

std::span<const Batch> batches(JobKind purpose) {
  if (purpose == JobKind::screen) return screened;
  if (purpose == JobKind::verify) return verified;
  return {};
}

/// Deals pairs of axis and kind; no pair repeats before all have had their turn.
class Deck {
 public:
  Deck(const ShapeDrawer& drawer, std::span<const LengthKind> kinds) {
    for (const std::string& axis : drawer.axes()) {
      for (const LengthKind kind : kinds) {
        if (drawer.has(axis, kind)) cards_.emplace_back(axis, kind);
      }
    }
  }
  bool empty() const { return cards_.empty(); }
  const std::pair<std::string, LengthKind>& deal(SecretRandom& random) {
    if (left_ == 0) left_ = cards_.size();
    std::swap(cards_[random.below(left_)], cards_[left_ - 1]);
    return cards_[--left_];
  }

 private:
  std::vector<std::pair<std::string, LengthKind>> cards_;
  std::size_t left_ = 0;  ///< cards [0, left_) are still to be dealt
};

/// Some of all pairs of axes, either one first; a lone axis is no pair.
std::vector<std::vector<std::string>> some_pairs(const std::vector<std::string>& axes,
                                                 SecretRandom& random) {
  std::vector<std::vector<std::string>> pairs;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = i + 1; j < axes.size(); ++j) {
      const bool swapped = random.below(2) == 0;
      pairs.push_back(swapped ? std::vector{axes[j], axes[i]} : std::vector{axes[i], axes[j]});
    }
  }
  shuffle(pairs, random);
  pairs.resize(std::min(pairs.size(), most_pairs));
  return pairs;
}

Workload workload_of(const Task& task, AxisLengths axes) {
  std::vector<std::string> parts;
  for (const std::string& axis : task.axes) {
    if (axes.contains(axis)) parts.push_back(fmt::format("{}={}", axis, axes[axis]));
  }
  const std::string label = fmt::format("unlisted {}", fmt::join(parts, " "));
  return {.axes = std::move(axes),
          .role = Role::holdout,
          .label = label,
          .drawn = true,
          .disclosed = task.workloads.front().disclosed};
}

template <typename Value>
std::int64_t largest_listed(const Task& task, Value value) {
  std::int64_t most = 0;
  for (const Workload& workload : task.workloads) most = std::max(most, value(workload));
  return most;
}

}  // namespace

std::int64_t elements_of(const Task& task, const Workload& workload) {
  std::int64_t sum = 0;
  for (const TensorSpec& tensor : task.tensors) {
    const auto elements = task.elements(tensor, workload);
    sum += elements ? *elements : 0;  // all workloads of a task that was read can be evaluated
  }
  return sum;
}

ShapeDrawer::ShapeDrawer(const Task& task, SecretRandom& random) : task_(task), random_(random) {
  for (const std::string& name : task.axes) {
    if (task.constants.contains(name)) continue;
    axes_.push_back(name);
    Axis axis{axis_range(task, name), common_divisor(task, name), {}, {}};
    axis.range.low = rounded_up(axis.range.low, axis.divisor);
    axis.range.high -= axis.range.high % axis.divisor;
    for (const Workload& workload : task.workloads) axis.listed.push_back(workload.axes.at(name));
    by_name_[name] = std::move(axis);
  }
  for (const auto& [shorter, longer] : ordered_axes(task)) {
    by_name_[shorter].longer.push_back(longer);
  }
}

bool ShapeDrawer::has(const std::string& name, LengthKind kind) const {
  const Axis& axis = by_name_.at(name);
  if (kind == LengthKind::past_16_bits) return axis.range.high >= past_16;
  return kind != LengthKind::beyond || axis.range.high > std::ranges::max(axis.listed);
}

std::optional<std::int64_t> ShapeDrawer::elements_within(const AxisLengths& shape,
                                                         const ShapeSize& size) const {
  const Workload workload{.axes = shape, .role = Role::holdout, .label = ""};
  const auto flops = task_.value(task_.flops, workload);
  if (!flops || *flops > size.most_flops) return std::nullopt;
  double steps = 1;  // an oracle may loop over all axes at once, whatever the formula says
  for (const auto& [axis, length] : shape) steps *= static_cast<double>(length);
  if (steps > most_steps) return std::nullopt;
  std::int64_t sum = 0;
  for (const TensorSpec& tensor : task_.tensors) {
    const auto elements = task_.elements(tensor, workload);
    if (!elements || *elements > size.most_elements) return std::nullopt;
    sum += *elements;
  }
  return sum <= size.most_elements ? std::optional(sum) : std::nullopt;
}

// The shape with this length, and with the axes that are never shorter and still to be drawn at
// least as long.
AxisLengths ShapeDrawer::with(const std::string& name, std::int64_t length,
                              const AxisLengths& drawn, AxisLengths shape) const {
  shape[name] = length;
  for (const std::string& other : by_name_.at(name).longer) {
    const std::int64_t least = rounded_up(length, by_name_.at(other).divisor);
    if (!drawn.contains(other)) shape[other] = std::max(shape[other], least);
  }
  return shape;
}

// Lengths that keep the order of the axes drawn so far and fit the shape's size with the remaining
// axes at their shortest. Empty (low > high) where there are none.
AxisRange ShapeDrawer::room(const std::string& name, const AxisLengths& drawn,
                            const AxisLengths& shape, const ShapeSize& size) const {
  const Axis& axis = by_name_.at(name);
  AxisRange room = axis.range;
  room.low = shape.at(name);
  for (const std::string& other : axis.longer) {
    if (drawn.contains(other)) room.high = std::min(room.high, drawn.at(other));
  }
  room.high -= room.high % axis.divisor;
  if (room.low > room.high) return room;
  std::int64_t fits = room.low - axis.divisor, too_long = room.high + axis.divisor;
  while (too_long - fits > axis.divisor) {
    const std::int64_t middle = fits + (too_long - fits) / (2 * axis.divisor) * axis.divisor;
    (elements_within(with(name, middle, drawn, shape), size) ? fits : too_long) = middle;
  }
  room.high = std::min(room.high, fits);
  return room;
}

std::int64_t ShapeDrawer::log_uniform(std::int64_t low, std::int64_t high) {
  const double span = std::log(static_cast<double>(high) + 1) - std::log(static_cast<double>(low));
  const double drawn = static_cast<double>(low) * std::exp(random_.uniform() * span);
  return std::clamp(static_cast<std::int64_t>(drawn), low, high);
}

std::int64_t ShapeDrawer::multiple(const AxisRange& room) {
  std::uint64_t steps = 1;
  while (steps < 6 && (std::int64_t{8} << steps) <= room.high) ++steps;
  const std::int64_t m = std::int64_t{8} << random_.below(steps);
  if (m > room.high) return log_uniform(room.low, room.high);
  std::int64_t count = log_uniform(std::max(room.low, m), room.high) / m;
  if (random_.below(2) == 0 && count % 2 == 0) count += (count + 1) * m <= room.high ? 1 : -1;
  return count * m;
}

std::int64_t ShapeDrawer::power(const AxisRange& room) {
  std::vector<std::int64_t> powers;
  for (std::int64_t p = 1; p <= room.high; p *= 2) {
    if (p >= room.low) powers.push_back(p);
  }
  if (powers.empty()) return log_uniform(room.low, room.high);
  return powers[random_.below(powers.size())] + static_cast<std::int64_t>(random_.below(3)) - 1;
}

std::int64_t ShapeDrawer::length(const Axis& axis, LengthKind kind, const AxisRange& room) {
  const auto from = [&](std::int64_t low) {
    return log_uniform(low > room.high ? room.low : std::max(low, room.low), room.high);
  };
  std::int64_t wanted = 0;
  switch (kind) {
    case LengthKind::anywhere: wanted = from(room.low); break;
    case LengthKind::multiple: wanted = multiple(room); break;
    case LengthKind::neighbour: wanted = multiple(room) + (random_.below(2) == 0 ? 1 : -1); break;
    case LengthKind::power: wanted = power(room); break;
    case LengthKind::listed: wanted = axis.listed[random_.below(axis.listed.size())]; break;
    case LengthKind::beyond: wanted = from(std::ranges::max(axis.listed) + 1); break;
    // Takes the longest length half of the time, because a range may end just above 2^16.
    case LengthKind::past_16_bits:
      wanted = random_.below(2) == 0 ? room.high : from(past_16);
      break;
  }
  // Both ends of the room are multiples of the divisor.
  wanted = std::clamp(wanted, room.low, room.high);
  return wanted - wanted % axis.divisor;
}

// Fast paths need several aligned axes at once, so half of the other axes get multiples. Products
// of lengths overflow where several are long, so some of them are longer than listed.
LengthKind ShapeDrawer::any_kind() {
  constexpr LengthKind kinds[] = {LengthKind::multiple, LengthKind::multiple, LengthKind::multiple,
                                  LengthKind::multiple, LengthKind::anywhere, LengthKind::neighbour,
                                  LengthKind::listed,   LengthKind::beyond};
  return kinds[random_.below(std::size(kinds))];
}

std::optional<AxisLengths> ShapeDrawer::attempt(const std::vector<std::string>& first,
                                                const FirstLength& first_length,
                                                const ShapeSize& size) {
  const auto is_first = [&](const std::string& axis) {
    return std::ranges::find(first, axis) != first.end();
  };
  std::vector<std::string> order = first;
  std::ranges::copy_if(axes_, std::back_inserter(order), std::not_fn(is_first));
  for (std::size_t i = order.size() - 1; i > first.size(); --i) {
    std::swap(order[i], order[first.size() + random_.below(i + 1 - first.size())]);
  }
  AxisLengths shape, drawn;
  for (const auto& [name, axis] : by_name_) shape[name] = axis.range.low;
  for (const std::string& name : order) {
    const AxisRange room = this->room(name, drawn, shape, size);
    if (room.low > room.high) return std::nullopt;
    drawn[name] = is_first(name) ? first_length(room) : length(by_name_.at(name), any_kind(), room);
    shape = with(name, drawn[name], drawn, std::move(shape));
  }
  if (!resolve_shapes(task_, {.axes = shape, .role = Role::holdout, .label = ""}))
    return std::nullopt;
  return shape;
}

std::optional<AxisLengths> ShapeDrawer::draw(const std::string& axis, LengthKind kind,
                                             const ShapeSize& size) {
  return largest(
      {axis}, [&](const AxisRange& room) { return length(by_name_.at(axis), kind, room); }, size);
}

std::optional<AxisLengths> ShapeDrawer::draw_at(const std::string& axis, std::int64_t length,
                                                const ShapeSize& size) {
  return largest(
      {axis}, [&](const AxisRange&) { return length; }, size);
}

std::optional<AxisLengths> ShapeDrawer::draw_longest(const std::vector<std::string>& first,
                                                     const ShapeSize& size) {
  return largest(
      first, [](const AxisRange& room) { return room.high; }, size);
}

std::optional<AxisLengths> ShapeDrawer::draw_equal(const std::vector<std::string>& pair,
                                                   const ShapeSize& size) {
  const Axis &a = by_name_.at(pair[0]), &b = by_name_.at(pair[1]);
  const std::int64_t divisor = std::lcm(a.divisor, b.divisor);
  const std::int64_t low = std::max({a.range.low, b.range.low, std::int64_t{2}});
  const std::int64_t high = std::min(a.range.high, b.range.high);
  // Lengths for which no size is left are drawn again.
  std::int64_t length = 0;
  for (int tried = 0; tried < attempts; ++tried) {
    if (low > high) return std::nullopt;
    const std::int64_t drawn = log_uniform(low, high) / divisor * divisor;
    if (drawn >= low) length = drawn;
    if (length == 0) continue;
    auto made = attempt(
        pair, [&](const AxisRange& room) { return std::min(length, room.high); }, size);
    if (made && made->at(pair[0]) == made->at(pair[1]) && elements_within(*made, size)) return made;
  }
  return std::nullopt;
}

std::optional<AxisLengths> ShapeDrawer::largest(const std::vector<std::string>& first,
                                                const FirstLength& first_length,
                                                const ShapeSize& size) {
  std::optional<AxisLengths> best;
  std::int64_t most = -1;
  for (int tried = 0; tried < attempts && most < size.least_elements; ++tried) {
    auto made = attempt(first, first_length, size);
    const auto elements = made ? elements_within(*made, size) : std::nullopt;
    if (!elements || *elements <= most) continue;
    most = *elements;
    best = std::move(made);
  }
  return best;
}

std::vector<Workload> slim_workloads(const Task& task, std::int64_t most_elements,
                                     SecretRandom& random) {
  const ShapeSize size{most_elements / 2, most_elements, large_shapes.most_flops};
  ShapeDrawer drawer(task, random);
  std::vector<Workload> list;
  for (const std::string& axis : drawer.axes()) {
    std::set<std::int64_t> lengths;
    for (const Workload& workload : task.workloads) {
      if (elements_of(task, workload) > most_elements) lengths.insert(workload.axes.at(axis));
    }
    for (const std::int64_t length : lengths) {
      if (auto made = drawer.draw_at(axis, length, size)) {
        list.push_back(workload_of(task, *std::move(made)));
      }
    }
  }
  return list;
}

std::int64_t largest_listed_elements(const Task& task) {
  return largest_listed(task,
                        [&](const Workload& workload) { return elements_of(task, workload); });
}

std::vector<Workload> unlisted_workloads(const Task& task, JobKind purpose,
                                         const ShapeLimits& limits, SecretRandom& random) {
  const auto flops = [&](const Workload& workload) {
    const auto value = task.value(task.flops, workload);
    return value ? *value : 0;
  };
  const std::int64_t most_elements =
      std::max(middle_shapes.most_elements, beyond_lists * largest_listed_elements(task));
  const std::int64_t most_flops =
      std::max(middle_shapes.most_flops, beyond_lists * largest_listed(task, flops));
  const auto bounded = [&](ShapeSize size) {
    size.most_elements = std::min({size.most_elements, most_elements, limits.most_elements});
    size.most_flops = std::min(size.most_flops, most_flops);
    return size;
  };
  ShapeDrawer drawer(task, random);
  std::vector<Workload> list;
  const auto add = [&](std::optional<AxisLengths> made, bool first_classes = false) {
    if (!made) return;
    list.push_back(workload_of(task, *std::move(made)));
    list.back().first_classes = first_classes;
  };
  for (const Batch& batch : batches(purpose)) {
    Deck deck(drawer, batch.kinds);
    for (int i = 0; i < batch.shapes && !deck.empty(); ++i) {
      const auto& [axis, kind] = deck.deal(random);
      add(drawer.draw(axis, kind, bounded(batch.size)));
    }
  }
  if (purpose != JobKind::verify) return list;
  for (const auto& pair : some_pairs(drawer.axes(), random)) {
    for (const bool first : {true, false}) {
      add(drawer.draw_longest(pair, bounded(middle_shapes)), first);
    }
    for (int i = 0; i < equal_shapes; ++i) add(drawer.draw_equal(pair, bounded(small_shapes)));
  }
  return list;
}

}  // namespace ke
