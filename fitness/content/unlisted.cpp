#include "fitness/content/unlisted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "fitness/content/drawn_shape.hpp"

namespace ke {
namespace {

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

Workload workload_of(const Task& task, AxisLengths axes) {
  std::vector<std::string> parts;
  for (const std::string& axis : task.axes) {
    if (axes.contains(axis)) parts.push_back(fmt::format("{}={}", axis, axes[axis]));
  }
  const std::string label = fmt::format("unlisted {}", fmt::join(parts, " "));
  return {.axes = std::move(axes), .role = Role::holdout, .label = label, .drawn = true};
}

template <typename Value>
std::int64_t largest_listed(const Task& task, Value value) {
  std::int64_t most = 0;
  for (const Workload& workload : task.workloads) most = std::max(most, value(workload));
  return most;
}

std::int64_t elements_of(const Task& task, const Workload& workload) {
  std::int64_t sum = 0;
  for (const TensorSpec& tensor : task.tensors) {
    const auto elements = task.elements(tensor, workload);
    sum += elements ? *elements : 0;  // all workloads of a task that was read can be evaluated
  }
  return sum;
}

}  // namespace

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
  ShapeDrawer drawer(task, random);
  std::vector<Workload> list;
  for (const Batch& batch : batches(purpose)) {
    ShapeSize size = batch.size;
    size.most_elements = std::min({size.most_elements, most_elements, limits.most_elements});
    size.most_flops = std::min(size.most_flops, most_flops);
    Deck deck(drawer, batch.kinds);
    for (int i = 0; i < batch.shapes && !deck.empty(); ++i) {
      const auto& [axis, kind] = deck.deal(random);
      if (auto made = drawer.draw(axis, kind, size)) {
        list.push_back(workload_of(task, *std::move(made)));
      }
    }
  }
  return list;
}

}  // namespace ke
