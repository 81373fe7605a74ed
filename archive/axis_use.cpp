#include "archive/axis_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "archive/sqlite/axis_rows.hpp"
#include "archive/sqlite/store_file.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

constexpr std::int64_t enough_kernels = 20;
constexpr double label_rounding = 1e-3;  // labels have four digits

/// The bounds in the label of a bin, e.g. "[0.05, 0.13)"; nothing for a category.
std::optional<std::pair<double, double>> bounds_of(const std::string& label) {
  if (label.empty() || label.front() != '[') return std::nullopt;
  char* end = nullptr;
  const double low = std::strtod(label.c_str() + 1, &end);
  if (end == nullptr || *end != ',') return std::nullopt;
  return std::pair(low, std::strtod(end + 1, nullptr));
}

bool is_outside(const AxisShape& shape, double value) {
  const auto first = bounds_of(shape.bins.front()), last = bounds_of(shape.bins.back());
  if (!first || !last) return false;
  const double slack = label_rounding * (last->second - first->first);
  const double below = std::min(slack, label_rounding * std::abs(first->first));
  return value < first->first - below || value > last->second + slack;
}

/// The bin of a value, derived from the labels; a category's value is its own bin.
double bin_of(const AxisShape& shape, double value) {
  if (!bounds_of(shape.bins.front())) return value;
  double bin = 0;
  for (std::size_t i = 1; i < shape.bins.size(); ++i) {
    const auto bounds = bounds_of(shape.bins[i]);
    if (bounds && value >= bounds->first) bin = static_cast<double>(i);
  }
  return bin;
}

AxisUse use_of(Sql& sql, AxisShape shape) {
  AxisUse use{std::move(shape)};
  std::set<double> filled;
  sql.each(
      "SELECT m.value FROM evaluation_measure m JOIN evaluation e USING (candidate_id) "
      "JOIN candidate c ON c.id = m.candidate_id WHERE m.axis = ? AND e.verdict = 'ok' "
      "AND c.outcome = 'kernel' AND typeof(m.value) = 'real'",
      [&](const Row& row) {
        const double value = row.real(0);
        use.least = use.kernels == 0 ? value : std::min(use.least, value);
        use.most = use.kernels == 0 ? value : std::max(use.most, value);
        ++use.kernels;
        use.outside += is_outside(use.shape, value) ? 1 : 0;
        filled.insert(bin_of(use.shape, value));
      },
      use.shape.measure);
  use.filled = static_cast<std::int64_t>(filled.size());
  return use;
}

std::string span_of(const AxisShape& shape) {
  const auto first = bounds_of(shape.bins.front()), last = bounds_of(shape.bins.back());
  return first && last ? fmt::format("[{:.4g}, {:.4g}]", first->first, last->second) : "";
}

}  // namespace

Result<std::vector<AxisUse>> axis_use(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    std::vector<AxisUse> uses;
    for (AxisShape& shape : sqlite::read_axes(sql, "passive")) {
      if (shape.bins.empty()) continue;
      AxisUse use = use_of(sql, std::move(shape));
      if (use.kernels > 0) uses.push_back(std::move(use));
    }
    return uses;
  });
}

std::vector<std::string> axis_warnings(const std::vector<AxisUse>& uses) {
  std::vector<std::string> warnings;
  for (const AxisUse& use : uses) {
    if (use.kernels < enough_kernels) continue;
    if (2 * use.outside >= use.kernels) {
      warnings.push_back(fmt::format(
          "axis {}: {} of {} kernels lie outside {} and count in its border bins; seen {:.4g} to "
          "{:.4g}",
          use.shape.measure, use.outside, use.kernels, span_of(use.shape), use.least, use.most));
    } else if (use.shape.bins.size() > 1 && use.filled == 1) {
      warnings.push_back(
          fmt::format("axis {}: all {} kernels are in one bin; seen {:.4g} to {:.4g}",
                      use.shape.measure, use.kernels, use.least, use.most));
    }
  }
  return warnings;
}

}  // namespace ke
