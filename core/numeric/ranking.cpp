#include "core/numeric/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/result.hpp"

namespace ke {
namespace {

struct Named {
  const char* name;
  Ranking ranking;
};
using Value = Ranking::Value;
constexpr std::array<Named, 6> names = {{{"imp", {Value::gain, false}},
                                         {"2imp", {Value::gain, true}},
                                         {"obj", {Value::objective, false}},
                                         {"2obj", {Value::objective, true}},
                                         {"rd", {Value::direction, false}},
                                         {"2rd", {Value::direction, true}}}};

double value_of(const Ranking& ranking, const EmitterResults& results,
                std::span<const double> direction, std::size_t row) {
  if (ranking.value == Value::gain) return results.additions[row].gain;
  if (ranking.value == Value::objective) return results.objectives[row];
  const std::span<const double> measures = results.measures[row];
  return std::inner_product(measures.begin(), measures.end(), direction.begin(), 0.0);
}

}  // namespace

Ranking ranking_of(const std::string& name) {
  for (const Named& named : names) {
    if (name == named.name) return named.ranking;
  }
  KE_CHECK(name == "2imp");
  return {};
}

std::vector<std::string> ranking_names() {
  std::vector<std::string> list;
  for (const Named& named : names) list.emplace_back(named.name);
  return list;
}

Ranked rank(const Ranking& ranking, const EmitterResults& results,
            std::span<const double> direction) {
  const std::size_t rows = results.objectives.size();
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = value_of(ranking, results, direction, i);
  const auto stage = [&](std::uint32_t row) {
    return ranking.two_stage ? static_cast<int>(results.additions[row].status) : 0;
  };
  Ranked ranked;
  ranked.order.resize(rows);
  std::iota(ranked.order.begin(), ranked.order.end(), 0u);
  std::stable_sort(ranked.order.begin(), ranked.order.end(), [&](auto a, auto b) {
    return stage(a) != stage(b) ? stage(a) > stage(b) : values[a] > values[b];
  });
  if (rows == 0) return ranked;
  const std::uint32_t first = ranked.order.front();
  const std::uint32_t last = ranked.order.back();
  const double stages = stage(first) - stage(last);
  const double distance = values[first] - values[last];
  ranked.spread = std::sqrt(stages * stages + distance * distance);
  return ranked;
}

}  // namespace ke
