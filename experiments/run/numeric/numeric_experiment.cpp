#include "experiments/run/numeric/numeric_experiment.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/numeric/numeric_strategy.hpp"
#include "fitness/function/numeric_problems.hpp"

namespace ke {
namespace {

constexpr std::size_t most_cells = 10'000'000;

struct Device {
  std::string function;
  std::int64_t dimensions = 0;
};

Device read_function(Params& top) {
  Params section = top.section("device");
  section.choice("kind", "function", {"function"}, "numeric strategies search functions");
  return {section.choice("function", "sphere", {"sphere", "rastrigin", "arm"}, "what is optimised"),
          section.integer("dimensions", 6, {2, 1000}, "length of a solution")};
}

std::vector<AxisInfo> infos(const NumericProblem& problem) {
  std::vector<AxisInfo> list;
  for (const MeasureRange& range : problem.measures()) {
    list.push_back({.name = range.name, .unit = "1", .low = range.low, .high = range.high});
    list.back().bins = 100;
  }
  return list;
}

/// Reads one axis; requires equal bins, so that the cell follows by arithmetic.
std::optional<Axis> read_equal_axis(Params& section, const std::vector<AxisInfo>& known) {
  auto axis = read_axis(section, known);
  if (!axis) return axis;
  const auto& edges = axis->edges();
  const double width = (edges.back() - edges.front()) / static_cast<double>(axis->bins());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double expected = edges.front() + static_cast<double>(i) * width;
    if (std::abs(edges[i] - expected) <= 1e-9 * (edges.back() - edges.front())) continue;
    section.fail("bins", "must be a number on a linear scale: numeric archives have equal bins");
    return std::nullopt;
  }
  return axis;
}

std::vector<Axis> read_axes(Params& archive, const NumericProblem& problem) {
  const auto known = infos(problem);
  std::vector<Axis> axes;
  for (Params& section : archive.sections("axes")) {
    if (auto axis = read_equal_axis(section, known)) axes.push_back(*std::move(axis));
  }
  if (!archive.has("axes")) {
    for (const AxisInfo& info : known) axes.push_back(Axis::divided(info));
  }
  return axes;
}

/// Requires one axis per measure of the problem, in the problem's order.
void check_axes(Params& archive, const NumericProblem& problem, const std::vector<Axis>& axes) {
  const auto measures = problem.measures();
  bool fits = axes.size() == measures.size();
  std::size_t cells = 1;
  for (std::size_t i = 0; fits && i < axes.size(); ++i) {
    fits = axes[i].measure() == measures[i].name;
    cells *= axes[i].bins();
  }
  if (!fits) {
    archive.fail("axes", fmt::format("must name the problem's measures in their order ({}, {})",
                                     measures[0].name, measures[1].name));
  } else if (cells > most_cells) {
    archive.fail("axes", fmt::format("= {} cells, more than {}", cells, most_cells));
  }
}

NumericStrategy read_strategy_section(Params& top, std::string& kind) {
  Params section = top.section("strategy");
  kind = section.choice("kind", "map_elites_gaussian", component_names(numeric_strategies()),
                        "numeric strategy; see 'list strategies'");
  return find_component(numeric_strategies(), kind)->make(section);
}

struct Parts {
  std::string function;
  std::unique_ptr<NumericProblem> problem;
  std::string strategy_kind;
  NumericStrategy strategy;
  std::vector<Axis> axes;
};

Parts read_parts(Params& top) {
  Parts parts;
  const Device device = read_function(top);
  parts.function = device.function;
  parts.problem =
      make_numeric_problem(device.function, static_cast<std::size_t>(device.dimensions));
  parts.strategy = read_strategy_section(top, parts.strategy_kind);
  Params archive = top.section("archive");
  archive.choice("kind", "grid", {"grid"}, "numeric strategies keep their elites on a grid");
  parts.axes = read_axes(archive, *parts.problem);
  check_axes(archive, *parts.problem, parts.axes);
  return parts;
}

/// Reads the parts from a document that read_experiment has checked.
Parts parts_of(const Experiment& experiment) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  return read_parts(top);
}

std::shared_ptr<const Cells> grid_of(const std::vector<Axis>& axes) {
  std::vector<EqualBins> bins;
  for (const Axis& axis : axes) {
    bins.push_back(
        {axis.edges().front(), axis.edges().back(), static_cast<std::uint32_t>(axis.bins())});
  }
  return std::make_shared<GridCells>(std::move(bins));
}

}  // namespace

bool is_numeric(const Node& document) {
  const Node* strategy = document.find("strategy");
  const Node* kind = strategy == nullptr ? nullptr : strategy->find("kind");
  return kind != nullptr && find_component(numeric_strategies(), kind->scalar) != nullptr;
}

void read_numeric(Params& top, Experiment& experiment) {
  Parts parts = read_parts(top);
  experiment.device = "function";
  experiment.strategy = parts.strategy_kind;
  experiment.archive = "grid";
  if (!experiment.tasks.empty() && experiment.tasks != std::vector{parts.function}) {
    top.fail("task",
             "does not fit device.function; leave 'task' out, the device names the function");
  }
  experiment.tasks = {parts.function};
}

Subject numeric_subject(const Experiment& experiment) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  const Device device = read_function(top);
  Subject subject;
  subject.name = device.function;
  subject.text = fmt::format("{} of {} dimensions", device.function, device.dimensions);
  Encoder content;
  content("numeric/1")(device.function)(device.dimensions);
  subject.hash = content.digest();
  return subject;
}

NumericPlan make_numeric_plan(const Experiment& experiment, const RunHeader& header) {
  Parts parts = parts_of(experiment);
  const std::size_t n = parts.problem->dimensions();
  const std::size_t m = parts.problem->measures().size();
  const auto cells = grid_of(parts.axes);
  NumericPlan plan;
  plan.header = header;
  plan.emitters = parts.strategy.emitters(
      {n, parts.strategy.start, parts.problem->low(), parts.problem->high()});
  plan.archive = std::make_unique<NumericArchive>(cells, n, m, parts.strategy.soft);
  if (parts.strategy.soft) plan.result = std::make_unique<NumericArchive>(cells, n, m);
  plan.problem = std::move(parts.problem);
  plan.iterations = parts.strategy.iterations;
  plan.evaluations = experiment.limits.evaluations;
  plan.target = experiment.target;
  return plan;
}

std::vector<AxisShape> numeric_axes(const Experiment& experiment) {
  std::vector<AxisShape> shapes;
  for (const Axis& axis : parts_of(experiment).axes) shapes.push_back(axis.shape());
  return shapes;
}

}  // namespace ke
