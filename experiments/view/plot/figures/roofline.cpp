#include <fmt/format.h>

#include <algorithm>

#include "archive/run_rows.hpp"
#include "experiments/view/plot/chosen_runs.hpp"
#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

constexpr double ns_per_s = 1e9;

/// Highest compute roof; "" if there is none.
std::string compute_roof(const Roofline& roofline) {
  double best = 0;
  for (const Ceiling& ceiling : roofline.ceilings) best = std::max(best, ceiling.flops_per_s);
  return best > 0 ? csv_number(best) : "";
}

void add_points(const ComparedRun& run, const RunRows& rows, CsvTable& table) {
  const Roofline& roofline = rows.roofline;
  const std::string roof = compute_roof(roofline);
  for (const RooflinePoint& point : roofline.points) {
    const RooflineWorkload& on = roofline.workloads.at(point.workload);
    const auto at = static_cast<std::size_t>(point.candidate);
    const auto rate = [&](std::int64_t count) {
      return csv_number(static_cast<double>(count) * ns_per_s / point.ns);
    };
    table.add({run.task, run.arm, fmt::format("{}", run.seed), on.cost.workload, on.cost.role,
               point.kernel, point.candidate < 0 ? "" : rows.candidates.at(at).id.text(),
               csv_number(point.ns), fmt::format("{}", on.cost.bytes),
               fmt::format("{}", on.cost.flops), rate(on.cost.bytes), rate(on.cost.flops),
               on.bytes_per_ns > 0 ? csv_number(on.bytes_per_ns * ns_per_s) : "", roof});
  }
}

}  // namespace

Result<FigureTable> make_roofline_figure(const PlotInput& input) {
  KE_TRY(const auto runs, best_runs(input.runs));
  FigureTable figure;
  figure.table = CsvTable({"task", "arm", "seed", "workload", "role", "kernel", "candidate", "ns",
                           "bytes", "flops", "bytes_per_s", "flops_per_s", "memory_bytes_per_s",
                           "compute_flops_per_s"});
  for (const ComparedRun* run : runs) {
    KE_TRY(const auto reader, RunReader::open(run->file));
    KE_TRY(const RunRows rows, read_rows(*reader));
    add_points(*run, rows, figure.table);
  }
  if (figure.table.empty()) return missing_figure("no run timed kernels of a task with a cost");
  figure.x_label = "operations per byte";
  figure.y_label = "operations per second";
  return figure;
}

}  // namespace ke
