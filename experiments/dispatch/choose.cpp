#include "experiments/dispatch/choose.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ke {
namespace {

constexpr std::size_t least_left_out = 3;

using Indices = std::vector<std::size_t>;

Indices all_of(std::size_t count) {
  Indices indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

ShapeMean at(const ShapeMean& mean, const Indices& shapes) {
  ShapeMean part{mean.rule, {}};
  if (mean.parts.empty()) return part;
  for (const std::size_t shape : shapes) part.parts.push_back(mean.parts[shape]);
  return part;
}

double mean_log(const std::vector<SpeedupFigure>& row, const Indices& shapes,
                const ShapeMean& mean) {
  std::vector<double> logs;
  for (const std::size_t shape : shapes) logs.push_back(std::log(row[shape].speedup));
  return at(mean, shapes).of(logs).log;
}

/// True if the kernel's mean over shapes beats the anchor with 95 % confidence.
bool beats_anchor(const std::vector<SpeedupFigure>& row, const Indices& shapes,
                  const ShapeMean& mean) {
  std::vector<SpeedupFigure> figures;
  for (const std::size_t shape : shapes) figures.push_back(row[shape]);
  return mean_figure(figures, at(mean, shapes)).ci.low > 1;
}

/// The best kernel in the mean, or the anchor if none is better with confidence.
std::size_t generalist(const SpeedupTable& table, const Indices& shapes, const ShapeMean& mean) {
  std::size_t best = 0;
  for (std::size_t kernel = 1; kernel < table.size(); ++kernel) {
    const bool ahead = mean_log(table[kernel], shapes, mean) > mean_log(table[best], shapes, mean);
    if (ahead && beats_anchor(table[kernel], shapes, mean)) best = kernel;
  }
  return best;
}

Indices order_at(const SpeedupTable& table, std::size_t shape, std::size_t general) {
  Indices order = all_of(table.size());
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t kernel) { return table[kernel][shape].speedup; });
  const SpeedupFigure& fastest = table[order.front()][shape];
  if (ratio(fastest, table[general][shape]).ci.low > 1) return order;
  std::erase(order, general);
  order.insert(order.begin(), general);
  return order;
}

/// The generalist, then all others from best to worst.
Indices general_order(const SpeedupTable& table, const Indices& shapes, const ShapeMean& mean,
                      std::size_t general) {
  Indices order = all_of(table.size());
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t kernel) {
    return mean_log(table[kernel], shapes, mean);
  });
  std::erase(order, general);
  order.insert(order.begin(), general);
  return order;
}

/// Kernels that each kind of rule calls at a shape that was left out when the rule was made.
struct CalledUnseen {
  std::size_t nearest = 0;
  std::size_t one = 0;
};

/// Returns the anchor for both if the other shapes say nothing about this one.
CalledUnseen called_unseen(const SpeedupTable& table, const ShapeMean& mean,
                           const std::vector<std::vector<std::size_t>>& lengths, std::size_t shape,
                           double reach) {
  Indices others = all_of(lengths.size());
  std::erase(others, shape);
  const std::vector<std::size_t>& asked = lengths[shape];
  Indices rows;
  for (const std::size_t other : others) {
    rows.insert(rows.end(), lengths[other].begin(), lengths[other].end());
  }
  const std::size_t count = others.size();
  const std::size_t nearest =
      dispatch::nearest_shape(rows.data(), count, asked.data(), asked.size());
  if (!dispatch::is_known(rows.data(), count, nearest, asked.data(), asked.size(), reach)) {
    return {};
  }
  const std::size_t general = generalist(table, others, mean);
  return {order_at(table, others[nearest], general).front(), general};
}

}  // namespace

std::vector<std::size_t> choose_few(const SpeedupTable& table, const ShapeMean& mean,
                                    std::size_t most, double min_gain) {
  std::vector<double> best(table.front().size(), 0);  // logarithms
  const auto with = [&](std::size_t kernel) {
    std::vector<double> logs = best;
    for (std::size_t shape = 0; shape < logs.size(); ++shape) {
      logs[shape] = std::max(std::log(table[kernel][shape].speedup), logs[shape]);
    }
    return logs;
  };
  std::vector<std::size_t> chosen;
  while (chosen.size() < most) {
    double most_gained = 0;
    std::size_t next = 0;
    for (std::size_t kernel = 1; kernel < table.size(); ++kernel) {
      const double gained = mean.of(with(kernel)).log - mean.of(best).log;
      if (gained <= most_gained) continue;
      most_gained = gained;
      next = kernel;
    }
    if (most_gained < std::log1p(min_gain)) break;
    chosen.push_back(next);
    best = with(next);
  }
  return chosen;
}

DispatchRule make_rule(const SpeedupTable& table, const ShapeMean& mean,
                       const std::vector<std::vector<std::size_t>>& lengths) {
  const Indices shapes = all_of(lengths.size());
  const std::size_t general = generalist(table, shapes, mean);
  DispatchRule rule;
  for (const std::size_t shape : shapes) rule.orders.push_back(order_at(table, shape, general));
  rule.kind = DispatchKind::nearest_shape;
  if (shapes.size() < least_left_out) return rule;
  const auto log_of = [&](std::size_t kernel, std::size_t shape) {
    return std::log(table[kernel][shape].speedup);
  };
  std::vector<double> nearest, one;         // at shapes left out
  std::vector<double> specialists, single;  // at measured shapes
  for (const std::size_t shape : shapes) {
    const CalledUnseen unseen = called_unseen(table, mean, lengths, shape, rule.reach);
    nearest.push_back(log_of(unseen.nearest, shape));
    one.push_back(log_of(unseen.one, shape));
    specialists.push_back(log_of(rule.orders[shape].front(), shape));
    single.push_back(log_of(general, shape));
  }
  const double left_out_nearest = mean.of(nearest).log, left_out_one = mean.of(one).log;
  rule.left_out_nearest = std::exp(left_out_nearest);
  rule.left_out_one = std::exp(left_out_one);
  const double ahead = mean.of(specialists).log - mean.of(single).log;
  if (ahead + left_out_nearest - left_out_one > 0) return rule;
  rule.kind = DispatchKind::one_kernel;
  rule.orders.assign(shapes.size(), general_order(table, shapes, mean, general));
  return rule;
}

}  // namespace ke
