#include <fmt/format.h>

#include <algorithm>

#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

/// First and last group (numbered from 0) that contain place `rank` of the order; the groups of a
/// place are consecutive.
std::pair<int, int> groups_with(const std::vector<std::pair<int, int>>& groups, int rank) {
  std::pair<int, int> found{-1, -1};
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    const auto& [first, last] = groups[static_cast<std::size_t>(g)];
    if (rank < first || rank > last) continue;
    if (found.first < 0) found.first = g;
    found.second = g;
  }
  return found;
}

std::vector<std::size_t> order_of(const std::vector<double>& ranks) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ranks.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
  return order;
}

std::string why_no_ranks(const ArmComparison& comparison) {
  for (const std::string& note : comparison.notes) {
    if (note.starts_with("no ranks")) return note;
  }
  return fmt::format("ranks need 3 arms, there are {}", comparison.arms.size());
}

}  // namespace

Result<FigureTable> make_cd_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  const ArmComparison& comparison = input.comparison->comparison;
  if (!comparison.ranks) return missing_figure(why_no_ranks(comparison));
  const auto& ranks = *comparison.ranks;
  FigureTable figure;
  figure.table = CsvTable({"arm", "average_rank", "first_group", "last_group",
                           "critical_difference", "friedman_p", "alpha"});
  const auto order = order_of(ranks.average_ranks);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto [first, last] = groups_with(ranks.groups, static_cast<int>(place));
    figure.table.add(
        {comparison.rank_arms[order[place]], csv_number(ranks.average_ranks[order[place]]),
         first < 0 ? "" : fmt::format("{}", first), last < 0 ? "" : fmt::format("{}", last),
         csv_number(ranks.critical_difference), csv_number(ranks.friedman_p),
         csv_number(comparison.analysis.alpha)});
  }
  figure.x_label = "average rank";
  figure.about = fmt::format(
      "Bars join arms that differ by less than the critical difference at "
      "alpha = {:g}; Friedman's p = {}. ",
      comparison.analysis.alpha, p_text(ranks.friedman_p));
  return figure;
}

}  // namespace ke
