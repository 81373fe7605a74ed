#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "experiments/view/plot/figure.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::array<std::string_view, 3> currencies = {"dollars", "tokens", "device_hours"};
constexpr double ns_per_hour = 3.6e12;

/// Means over the runs of an arm.
struct ArmCost {
  const ArmFigures* arm = nullptr;
  std::array<double, currencies.size()> amounts{};
};

Result<std::array<double, currencies.size()>> costs_of(const ComparedRun& run) {
  KE_TRY(const auto reader, RunReader::open(run.file));
  KE_TRY(const RunCosts costs, reader->costs());
  return std::array<double, currencies.size()>{
      costs.dollars, static_cast<double>(costs.input_tokens + costs.output_tokens),
      static_cast<double>(costs.all.lane_ns) / ns_per_hour};
}

Result<std::vector<ArmCost>> costs_of(const PlotInput& input) {
  std::vector<ArmCost> arms;
  for (const ArmFigures& arm : input.comparison->comparison.arms) {
    ArmCost cost{&arm, {}};
    double runs = 0;
    for (const ComparedRun& run : input.runs.runs) {
      if (run.arm != arm.name) continue;
      KE_TRY(const auto own, costs_of(run));
      for (std::size_t i = 0; i < own.size(); ++i) cost.amounts.at(i) += own.at(i);
      ++runs;
    }
    for (double& amount : cost.amounts) amount /= runs;
    arms.push_back(cost);
  }
  return arms;
}

/// Whether no other arm costs no more and reaches as much, and differs in one of both.
bool is_on_front(const ArmCost& one, const std::vector<ArmCost>& arms, std::size_t currency,
                 bool larger_is_better) {
  return std::ranges::none_of(arms, [&](const ArmCost& other) {
    const double gain = other.arm->mean.value - one.arm->mean.value;
    const double better = larger_is_better ? gain : -gain;
    const double saved = one.amounts.at(currency) - other.amounts.at(currency);
    return better >= 0 && saved >= 0 && (better > 0 || saved > 0);
  });
}

}  // namespace

Result<FigureTable> make_cost_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  KE_TRY(const auto arms, costs_of(input));
  const Analysis& analysis = input.comparison->comparison.analysis;
  FigureTable figure;
  figure.table = CsvTable({"currency", "arm", "amount", "value", "ci_low", "ci_high", "front"});
  for (std::size_t i = 0; i < currencies.size(); ++i) {
    if (std::ranges::none_of(arms, [&](const ArmCost& a) { return a.amounts.at(i) > 0; })) continue;
    for (const ArmCost& cost : arms) {
      const Figure& mean = cost.arm->mean;
      figure.table.add({std::string(currencies.at(i)), cost.arm->name,
                        csv_number(cost.amounts.at(i)), csv_number(mean.value),
                        csv_number(mean.low), csv_number(mean.high),
                        is_on_front(cost, arms, i, analysis.larger_is_better) ? "1" : "0"});
    }
  }
  if (figure.table.empty()) {
    return missing_figure("no run spent dollars, tokens or time of a device");
  }
  figure.y_label = endpoint_words(analysis);
  figure.about = fmt::format("Means over the runs of an arm, with {:g} % intervals. ",
                             100 * (1 - analysis.alpha));
  return figure;
}

}  // namespace ke
