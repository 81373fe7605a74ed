#include "operators/surrogate/extra_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/result.hpp"

namespace ke {

/// The training data shared by all trees.
struct ExtraTrees::Sample {
  std::span<const double> rows;
  std::span<const double> targets;
  std::size_t width;
  std::size_t tried;  ///< inputs tried at each split
  std::size_t min_leaf;
  double at(std::size_t member, std::size_t feature) const {
    return rows[member * width + feature];
  }
};

struct ExtraTrees::Split {
  std::size_t feature = 0;
  double cut = 0;
  double gain = -1;  ///< sum^2 / n over both sides; negative = no split

  /// Draws a cut for one input and keeps it if it is better.
  void consider(const Sample& sample, std::span<const std::size_t> members, std::size_t candidate,
                RandomStream& random) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::size_t member : members) {
      low = std::min(low, sample.at(member, candidate));
      high = std::max(high, sample.at(member, candidate));
    }
    if (!(low < high)) return;
    const double drawn = low + random.uniform() * (high - low);
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};
    for (const std::size_t member : members) {
      const int side = sample.at(member, candidate) <= drawn ? 0 : 1;
      sums[side] += sample.targets[member];
      counts[side] += 1;
    }
    const auto least = static_cast<double>(sample.min_leaf);
    if (counts[0] < least || counts[1] < least) return;
    const double merit = sums[0] * sums[0] / counts[0] + sums[1] * sums[1] / counts[1];
    if (merit <= gain) return;
    *this = {candidate, drawn, merit};
  }
};

ExtraTrees::ExtraTrees(std::span<const double> rows, std::span<const double> targets,
                       const Options& options, RandomStream& random) {
  KE_CHECK(!targets.empty() && rows.size() % targets.size() == 0);
  const std::size_t width = rows.size() / targets.size();
  const auto tried = static_cast<std::size_t>(
      std::max(1.0, std::round(options.features * static_cast<double>(width))));
  const Sample sample{rows, targets, width, tried, options.min_leaf};
  for (std::size_t t = 0; t < options.trees; ++t) {
    std::vector<std::size_t> members(targets.size());
    std::iota(members.begin(), members.end(), std::size_t{0});
    roots_.push_back(nodes_.size());
    grow(sample, members, random);
  }
}

void ExtraTrees::grow(const Sample& sample, std::span<std::size_t> members, RandomStream& random) {
  const std::size_t self = nodes_.size();
  Node& node = nodes_.emplace_back();
  const auto count = static_cast<double>(members.size());
  double squares = 0;
  for (const std::size_t member : members) node.mean += sample.targets[member] / count;
  for (const std::size_t member : members) {
    const double off = sample.targets[member] - node.mean;
    squares += off * off;
  }
  node.variance = squares / count;
  if (members.size() < 2 * sample.min_leaf || squares < 1e-12 || sample.width == 0) return;
  Split split;
  for (std::size_t i = 0; i < sample.tried; ++i) {
    split.consider(sample, members, random.below(sample.width), random);
  }
  if (split.gain < 0) return;
  const auto middle = std::stable_partition(
      members.begin(), members.end(),
      [&](std::size_t member) { return sample.at(member, split.feature) <= split.cut; });
  const auto left = static_cast<std::size_t>(middle - members.begin());
  node.feature = split.feature;
  node.cut = split.cut;
  grow(sample, members.first(left), random);
  nodes_[self].right = nodes_.size();
  grow(sample, members.subspan(left), random);
}

ExtraTrees::Prediction ExtraTrees::predict(std::span<const double> row) const {
  double mean = 0;
  double squares = 0;
  for (std::size_t at : roots_) {
    while (nodes_[at].right != 0) {
      at = row[nodes_[at].feature] <= nodes_[at].cut ? at + 1 : nodes_[at].right;
    }
    mean += nodes_[at].mean;
    squares += nodes_[at].mean * nodes_[at].mean + nodes_[at].variance;
  }
  const auto trees = static_cast<double>(roots_.size());
  mean /= trees;
  return {mean, std::sqrt(std::max(0.0, squares / trees - mean * mean))};
}

}  // namespace ke
