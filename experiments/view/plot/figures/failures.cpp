#include <fmt/format.h>

#include <map>

#include "experiments/view/plot/figure.hpp"
#include "experiments/view/report/data/funnel.hpp"

namespace ke {

Result<FigureTable> make_failures_figure(const PlotInput& input) {
  std::map<std::pair<std::string, std::string>, std::vector<FunnelStage>> groups;
  for (const ComparedRun& run : input.runs.runs) {
    KE_TRY(const auto reader, RunReader::open(run.file));
    KE_TRY(const RunRows rows, read_rows(*reader));
    if (rows.candidates.empty()) continue;
    const auto own = funnel_stages(rows);
    auto& sum = groups[{run.task, run.arm}];
    if (sum.empty()) sum.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      sum[i].name = own[i].name;
      sum[i].left += own[i].left;
      sum[i].lost += own[i].lost;
    }
  }
  if (groups.empty()) return missing_figure("no run has candidates");
  FigureTable figure;
  figure.table =
      CsvTable({"task", "arm", "position", "stage", "candidates_left", "candidates_lost"});
  for (const auto& [name, stages] : groups) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      figure.table.add({name.first, name.second, fmt::format("{}", i), stages[i].name,
                        fmt::format("{}", stages[i].left), fmt::format("{}", stages[i].lost)});
    }
  }
  figure.x_label = "share of proposals";
  return figure;
}

}  // namespace ke
