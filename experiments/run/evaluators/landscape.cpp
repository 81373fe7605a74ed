#include "experiments/run/evaluators/landscape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "experiments/run/places.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// A descriptor with the default options of its axis.
struct DeclaredDescriptor {
  LandscapeDescriptor descriptor;
  AxisInfo axis;
};

DeclaredDescriptor read_descriptor(Params& params) {
  DeclaredDescriptor declared;
  AxisInfo& axis = declared.axis;
  axis.name = params.required_text("name", "name of the measure, for axes");
  declared.descriptor.name = axis.name;
  declared.descriptor.of = params.text(
      "of", axis.name, "an expression over parameters, or a recorded measure; as its name");
  axis.unit = params.text("unit", "1", "unit, for tables");
  axis.low = params.real("low", 0, {-1e300, 1e300}, "lower end of its axis");
  axis.high = params.real("high", 1, {-1e300, 1e300}, "upper end of its axis");
  axis.bins = params.integer("bins", 8, {1, 1000}, "bins of its axis");
  axis.scale =
      params.choice("scale", "linear", {"linear", "log"}, "equal widths or ratios") == "log"
          ? Scale::logarithmic
          : Scale::linear;
  if (axis.high <= axis.low) params.fail("high", "must be above 'low'");
  if (axis.scale == Scale::logarithmic && axis.low <= 0) {
    params.fail("low", "must be above 0 on a logarithmic scale");
  }
  return declared;
}

struct LandscapeDevice {
  std::vector<std::string> files;
  std::int64_t lanes = 1;
  LandscapeOptions options;
  std::vector<AxisInfo> axes;
};

LandscapeDevice read_landscape_device(Params& device) {
  LandscapeDevice read_landscape_device;
  read_landscape_device.files =
      device.texts("files", {}, "landscapes: files in T4 or Kernel Tuner's cache format, or names");
  read_landscape_device.lanes =
      device.integer("lanes", 1, {1, 256}, "jobs at a time; changes no result");
  read_landscape_device.options.reference =
      device.choice("reference", "optimum", {"optimum", "median"},
                    "objective = this recorded time / the configuration's time") == "optimum"
          ? LandscapeOptions::Reference::optimum
          : LandscapeOptions::Reference::median;
  read_landscape_device.options.noise =
      device.choice("noise", "none", {"none", "sample"},
                    "recorded summary, or raw repeats drawn by key and seed") == "none"
          ? LandscapeOptions::Noise::none
          : LandscapeOptions::Noise::sample;
  read_landscape_device.options.draws =
      device.integer("draws", 1, {1, 1000}, "noise sample: repeats that one measurement averages");
  for (Params& section : device.sections("descriptors")) {
    DeclaredDescriptor declared = read_descriptor(section);
    read_landscape_device.options.descriptors.push_back(std::move(declared.descriptor));
    read_landscape_device.axes.push_back(std::move(declared.axis));
  }
  return read_landscape_device;
}

/// Widens each recorded measure's range by this landscape's values.
void add_ranges(const Landscape& landscape, std::map<std::string, AxisInfo>& found) {
  for (std::size_t m = 0; m < landscape.measures().size(); ++m) {
    const std::string& name = landscape.measures()[m];
    for (std::size_t point = 0; point < landscape.points().size(); ++point) {
      const double value = landscape.measure(point, m);
      if (std::isnan(value)) continue;
      AxisInfo& info = found
                           .try_emplace(name, AxisInfo{.name = name,
                                                       .unit = "1",
                                                       .low = value,
                                                       .high = value,
                                                       .recorded_only = true})
                           .first->second;
      info.low = std::min(info.low, value);
      info.high = std::max(info.high, value);
    }
  }
}

class LandscapeKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { read_landscape_device(device); }

  std::vector<std::string> default_tasks(Params& device) const override {
    return read_landscape_device(device).files;
  }

  Result<Subject> subject(Params& device, const std::string& task,
                          const std::string& beside) const override {
    KE_TRY(const std::string file, find_landscape(task, beside));
    KE_TRY(auto landscape, read_landscape(file));
    return landscape_subject(device, std::move(landscape), file);
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    return StartedEvaluator{make_landscape_evaluator(subject.landscape, setup.seed,
                                                     read_landscape_device(device).lanes),
                            "none needed"};
  }

  std::vector<AxisInfo> measures(Params& device) const override {
    std::vector<AxisInfo> axes = {{.name = "first_half", .unit = "1"},
                                  {.name = "second_half", .unit = "1"}};
    for (AxisInfo& axis : read_landscape_device(device).axes) axes.push_back(std::move(axis));
    return axes;
  }

  std::vector<AxisInfo> recorded_measures(const std::vector<std::string>& tasks,
                                          const std::string& beside) const override {
    std::map<std::string, AxisInfo> found;
    for (const std::string& task : tasks) {
      const auto file = find_landscape(task, beside);
      const auto landscape = file ? read_landscape(*file) : file.error();
      if (landscape) add_ranges(**landscape, found);
    }
    std::vector<AxisInfo> measures;
    for (auto& [name, info] : found) measures.push_back(std::move(info));
    return measures;
  }

  std::string default_axes(Params& device) const override {
    std::string axes;
    for (const AxisInfo& axis : read_landscape_device(device).axes) {
      axes += fmt::format("{}{{measure: {}}}", axes.empty() ? "" : ", ", axis.name);
    }
    return axes.empty() ? "[{measure: first_half}, {measure: second_half}]" : "[" + axes + "]";
  }
  bool simulated() const override { return true; }
};

}  // namespace

Result<std::string> find_landscape(const std::string& name, const std::string& beside) {
  std::vector<fs::path> places = {fs::path(beside) / name, fs::path(name)};
  for (const std::string& folder : config_folders()) {
    places.push_back(fs::path(folder) / "landscapes" / (name + ".json.gz"));
  }
  std::error_code code;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, code)) return fs::absolute(place).lexically_normal().string();
  }
  return Error{
      Failure::config,
      fmt::format("no landscape '{}': neither a file nor the name of a shipped one", name)};
}

Result<Subject> landscape_subject(Params& device, std::shared_ptr<const Landscape> landscape,
                                  const std::string& file) {
  KE_TRY(auto problem,
         LandscapeProblem::make(std::move(landscape), read_landscape_device(device).options));
  Subject subject;
  subject.name = problem->landscape().name();
  subject.hash = problem->content_hash();
  subject.text = "recorded times of " + subject.name;
  subject.seeds = {problem->seed()};
  subject.origin = file;
  subject.landscape = std::move(problem);
  return subject;
}

std::unique_ptr<EvaluatorKind> make_landscape_kind() { return std::make_unique<LandscapeKind>(); }

}  // namespace ke
