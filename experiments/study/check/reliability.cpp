#include "experiments/study/check/reliability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/knob_space.hpp"
#include "core/random_stream.hpp"
#include "experiments/study/check/meaningless_edits.hpp"
#include "experiments/study/statistics/ranks.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "fitness/host/build/compiler.hpp"

namespace ke {
namespace {

constexpr std::uint64_t other_padding = 17;  // cache lines in front of code and constants
constexpr int draws = 20;                    // random draws per missing point

/// A kernel at one choice of its knobs and flags.
struct Point {
  std::string name;
  Kernel kernel;
  KernelSpace space;
};

/// Descriptor values of one kernel, before and after each change.
struct Described {
  std::vector<double> values;
  std::vector<std::pair<std::string, std::vector<double>>> changed;
};

/// Builds and describes kernels as the judge does.
class Workshop {
 public:
  Workshop(const Task& task, const Compiler& compiler) : task_(task), compiler_(compiler) {}

  Result<BuildOutput> compile(const Point& point, const std::string& source) const {
    BuildRequest request;
    request.source = source;
    request.include_dir = task_.include_dir;
    request.defines = point.space.macros(point.kernel);
    request.flags = point.space.flags(point.kernel);
    return compiler_.compile(request);
  }

  /// Links an object with padding and measures it.
  Result<std::vector<double>> describe(const std::string& object, std::uint64_t padding) const {
    KE_TRY(const BuildOutput linked, compiler_.link(object, padding));
    if (!linked.ok()) return Error{Failure::config, linked.reason + " " + linked.detail};
    DisassemblerOptions options;
    options.tools_dir = compiler_.options().tools_dir;
    options.level = compiler_.options().level;
    options.scratch = compiler_.options().scratch;
    KE_TRY(const Descriptors found, describe_binary(options, linked.shared_object));
    return found.values;
  }

 private:
  const Task& task_;
  const Compiler& compiler_;
};

std::string reason_of(const BuildOutput& output) {
  return fmt::format("{} {} {}", name(output.status), output.reason, output.detail);
}

/// Adds the descriptors of a changed source, or the reason why it does not build.
Result<void> describe_change(const Workshop& workshop, const Point& point,
                             const std::string& change, const std::string& source,
                             Described& described, ReliabilityReport& report) {
  KE_TRY(const BuildOutput output, workshop.compile(point, source));
  if (!output.ok()) {
    report.failures.push_back(fmt::format("{}, {}: {}", point.name, change, reason_of(output)));
    return {};
  }
  KE_TRY(auto values, workshop.describe(output.object, 0));
  described.changed.emplace_back(change, std::move(values));
  return {};
}

Result<std::optional<Described>> describe(const Workshop& workshop, const Point& point,
                                          ReliabilityReport& report) {
  const std::string& source = point.kernel.source;
  KE_TRY(const BuildOutput output, workshop.compile(point, source));
  if (!output.ok()) {
    report.failures.push_back(point.name + ": " + reason_of(output));
    return std::optional<Described>();
  }
  Described described;
  KE_TRY(described.values, workshop.describe(output.object, 0));
  KE_TRY(auto relinked, workshop.describe(output.object, other_padding));
  described.changed.emplace_back("relink", std::move(relinked));
  KE_TRY_VOID(describe_change(workshop, point, "rebuild", source, described, report));
  for (const auto& [change, text] : meaningless_edits(source)) {
    KE_TRY_VOID(describe_change(workshop, point, change, text, described, report));
  }
  return std::optional<Described>(std::move(described));
}

/// Returns the task's kernels at their defaults, then random points of each in turn.
std::vector<Point> choose_points(const Task& task, std::size_t wanted) {
  std::vector<Point> points;
  for (const auto& [name, source] : task.kernels) {
    auto space = parse_kernel_space(name, source);
    if (!space || points.size() == wanted) continue;
    Kernel kernel = space->defaults(name, source);
    points.push_back({name, std::move(kernel), *std::move(space)});
  }
  const std::size_t own = points.size();
  RandomStream random({.seed = 1, .purpose = Purpose::test});
  for (std::size_t i = 0; points.size() < wanted && i < wanted * draws; ++i) {
    const Point base = points[i % own];
    if (base.space.size() < 2) continue;
    auto kernel = base.space.sample(base.kernel, random);
    if (!kernel) continue;
    points.push_back({fmt::format("{} point {}", base.name, points.size() - own + 1),
                      *std::move(kernel), base.space});
  }
  return points;
}

std::size_t bin_of(const DescriptorAxis& axis, double value) {
  return static_cast<std::size_t>(std::upper_bound(axis.edges.begin(), axis.edges.end(), value) -
                                  axis.edges.begin());
}

void count_same_cells(const DescriptorAxis& axis, std::size_t index,
                      const std::vector<Described>& kernels, AxisReliability& reliability) {
  std::map<std::string, std::pair<int, int>> kept;  // change -> same, all
  std::pair<int, int> all;
  for (const Described& kernel : kernels) {
    const std::size_t bin = bin_of(axis, kernel.values[index]);
    for (const auto& [change, values] : kernel.changed) {
      const int same = bin_of(axis, values[index]) == bin ? 1 : 0;
      kept[change].first += same;
      ++kept[change].second;
      all.first += same;
      ++all.second;
    }
  }
  for (const auto& [change, count] : kept) {
    reliability.same_cell[change] = static_cast<double>(count.first) / count.second;
  }
  reliability.same_cell_overall = all.second == 0 ? 0 : static_cast<double>(all.first) / all.second;
}

double entropy_bits(const DescriptorAxis& axis, std::size_t index,
                    const std::vector<Described>& kernels) {
  std::map<std::size_t, double> count;
  for (const Described& kernel : kernels) ++count[bin_of(axis, kernel.values[index])];
  double bits = 0;
  for (const auto& [bin, number] : count) {
    const double share = number / static_cast<double>(kernels.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

std::vector<double> values_of(std::size_t index, const std::vector<Described>& kernels) {
  std::vector<double> values;
  for (const Described& kernel : kernels) values.push_back(kernel.values[index]);
  return values;
}

std::vector<AxisReliability> summarise(const std::vector<Described>& kernels) {
  const auto axes = descriptor_axes();
  std::vector<AxisReliability> list;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    AxisReliability one;
    one.axis = axes[i].name;
    one.bins = axes[i].edges.size() + 1;
    count_same_cells(axes[i], i, kernels, one);
    one.entropy_bits = entropy_bits(axes[i], i, kernels);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (k == i) continue;
      one.correlation[std::string(axes[k].name)] =
          statistics::rank_correlation(values_of(i, kernels), values_of(k, kernels));
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

Result<ReliabilityReport> measure_reliability(const Task& task, const CpuOptions& options,
                                              std::size_t points) {
  CompilerOptions tools;
  tools.tools_dir = options.tools_dir;
  tools.level = options.level;
  tools.gxx = options.compiler;
  tools.scratch = options.scratch;
  KE_TRY(const Compiler compiler, Compiler::create(tools));
  const Workshop workshop(task, compiler);
  ReliabilityReport report;
  report.task = task.name;
  std::vector<Described> kernels;
  for (const Point& point : choose_points(task, points)) {
    KE_TRY(auto described, describe(workshop, point, report));
    if (!described) continue;
    report.changes += described->changed.size();
    kernels.push_back(*std::move(described));
  }
  report.kernels = kernels.size();
  report.axes = summarise(kernels);
  return report;
}

}  // namespace ke
