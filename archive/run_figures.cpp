#include "archive/run_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "archive/sqlite/store_file.hpp"
#include "archive/sqlite/task_rows.hpp"

namespace ke {
using sqlite::Row;
using sqlite::Sql;

Result<std::vector<std::string>> never_ok(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    return sql.list(
        "WITH judged AS MATERIALIZED (SELECT c.genome_id, g.source_id, e.verdict FROM candidate c "
        "JOIN evaluation e ON e.candidate_id = c.id JOIN genome g ON g.id = c.genome_id "
        "WHERE c.outcome = 'kernel' AND e.verdict NOT IN ('lost', 'unreliable', 'timeout')), "
        "named AS (SELECT j.source_id, j.verdict, k.name || '=' || k.value AS value FROM judged j "
        "JOIN knob k ON k.genome_id = j.genome_id "
        "UNION ALL SELECT j.source_id, j.verdict, f.value FROM judged j "
        "JOIN flag f ON f.genome_id = j.genome_id WHERE f.value <> '') "
        "SELECT value, count(*), max(verdict) FROM named n "
        "WHERE EXISTS (SELECT 1 FROM judged j WHERE j.source_id = n.source_id AND j.verdict = "
        "'ok') "
        "GROUP BY source_id, value HAVING count(*) >= 3 AND sum(verdict = 'ok') = 0 "
        "ORDER BY count(*) DESC, value LIMIT 5",
        [](const Row& row) {
          return fmt::format("no kernel passed with {}: {} failed, as with {}", row.text(0),
                             row.integer(1), row.text(2));
        });
  });
}

Result<std::optional<FrequentFailure>> frequent_failure(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    return sql.last(
        "SELECT verdict, text, count(*) AS kernels FROM (SELECT e.verdict AS verdict, coalesce("
        "    (SELECT d.message FROM evaluation_diagnostic d WHERE d.candidate_id = c.id "
        "     AND d.severity LIKE '%error%' ORDER BY d.position LIMIT 1), e.message) AS text "
        "  FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
        "  WHERE c.outcome = 'kernel' AND e.verdict <> 'ok') "
        "WHERE text <> '' GROUP BY verdict, text HAVING kernels > 1 "
        "ORDER BY kernels DESC, verdict, text LIMIT 1",
        [](const Row& row) {
          return FrequentFailure{row.text(0), row.text(1), row.integer(2)};
        });
  });
}

Result<std::vector<double>> device_seconds(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    // Nanoseconds of facts by the first step that uses them. Summed here, because SQLite would join
    // such a subquery without an index, in time quadratic in the steps.
    std::map<std::int64_t, std::int64_t> costs;
    sql.each(
        "SELECT min(c.step_idx), a.compile_ns + a.lane_ns FROM evidence v "
        "JOIN candidate c ON c.id = v.candidate_id JOIN attempt a ON a.key = v.key GROUP BY a.id",
        [&](const Row& row) { costs[row.integer(0)] += row.integer(1); });
    double spent = 0;
    return sql.list("SELECT idx FROM step ORDER BY idx", [&](const Row& row) {
      const auto own = costs.find(row.integer(0));
      if (own != costs.end()) spent += static_cast<double>(own->second) / 1e9;
      return spent;
    });
  });
}

namespace {

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
