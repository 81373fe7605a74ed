#include "experiments/run/evaluators/cross.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/yaml/read_yaml.hpp"
#include "fitness/cross/cross_evaluator.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// The folder that `device.support` names: one of configs/backends, or a path.
Result<std::string> find_support(const std::string& name) {
  std::vector<fs::path> places;
  for (const std::string& folder : config_folders()) {
    places.push_back(fs::path(folder) / "backends" / name);
  }
  places.emplace_back(name);
  std::error_code code;
  for (const fs::path& place : places) {
    if (!name.empty() && fs::is_directory(place, code)) return fs::canonical(place).string();
  }
  return Error{
      Failure::config,
      fmt::format("device.support = {} is no folder, and none below configs/backends", name)};
}

/// Finds a built-in language by name, or reads a description from its file.
Result<std::shared_ptr<const Language>> find_chip_language(const std::string& name) {
  if (find_language(name) != nullptr) return shared_language(name);
  std::vector<fs::path> places;
  for (const std::string& folder : config_folders()) {
    places.push_back(fs::path(folder) / "backends" / name);
  }
  places.emplace_back(name);
  for (const fs::path& place : places) {
    std::ifstream file(place);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) continue;
    KE_TRY(Language language, parse_language(place.stem().string(), text.str()));
    if (language.kernels == language.name) language.kernels = "cpp";
    return std::make_shared<const Language>(std::move(language));
  }
  return Error{Failure::config,
               fmt::format("device.language = {} is no language of ours and no file", name)};
}

class CrossKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { cross::CrossOptions::read(device); }

  Result<Subject> subject(Params& device, const std::string& task,
                          const std::string& beside) const override {
    KE_TRY(auto loaded, load_task(task, beside));
    KE_TRY_VOID(require_language(*loaded, "cross"));
    KE_TRY(auto language, find_chip_language(cross::CrossOptions::read(device).language));
    KE_TRY(Subject subject, subject_of(std::move(loaded)));
    subject.language = std::move(language);
    subject.contract.prepares = false;
    return subject;
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    cross::CrossOptions options = cross::CrossOptions::read(device);
    KE_TRY(options.chip.support, find_support(options.chip.support));
    KE_TRY(const Workbench bench, make_workbench(options.sandbox));
    options.tools.tools_dir = setup.tools_folder;
    options.tools.level = bench.options.level;
    KE_TRY(Reference oracle, oracle_of(*subject.task, bench.options));
    KE_TRY(auto evaluator, cross::make_cross_evaluator(subject.task, std::move(oracle), options));
    return StartedEvaluator{std::move(evaluator), std::string(name(bench.options.level)),
                            bench.sandbox.warning};
  }

  std::vector<AxisInfo> measures(Params& device) const override {
    const cross::Chip chip = cross::Chip::read(device);
    const auto count = [](std::string name) {
      return AxisInfo{.name = std::move(name),
                      .unit = "1",
                      .low = 1,
                      .high = 1e8,
                      .bins = 8,
                      .scale = Scale::logarithmic};
    };
    std::vector<AxisInfo> axes = {
        {.name = "vector_share", .unit = "1", .low = 0, .high = 1, .bins = 5},
        {.name = "vector_registers", .unit = "1", .low = 0, .high = 8, .bins = 4},
        count("instructions"),
        count("cost")};
    for (const std::string& name : chip.class_names()) axes.push_back(count("n_" + name));
    for (const cross::Resource& one : chip.resource_measures) axes.push_back(count(one.measure));
    return axes;
  }
  std::string_view default_rule() const override { return "point"; }
  std::string default_axes(Params&) const override {
    return "[{measure: vector_share, low: 0, high: 1, bins: 5}, "
           "{measure: vector_registers, low: 0, high: 8, bins: 4}]";
  }
};

ChipFinding examine(const std::string& name, const Node& document) {
  ParamLog log;
  Params device(&document, "device", log);
  const cross::Chip chip = cross::Chip::read(device);
  if (!log.errors.empty()) return {name, false, log.errors.front()};
  const auto missing = chip.missing_programs();
  if (missing.empty()) return {name, true, chip.name};
  return {name, false, fmt::format("missing {}; {}", fmt::join(missing, ", "), chip.install)};
}

}  // namespace

std::vector<ChipFinding> probe_chips() {
  std::vector<ChipFinding> list;
  for (const std::string& folder : config_folders()) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "backends", code)) {
      if (entry.path().extension() != ".yaml") continue;
      const auto document = read_yaml_file(entry.path().string());
      const Node* kind = document ? document->find("kind") : nullptr;
      if (kind == nullptr || kind->scalar != "cross") continue;
      const std::string name = "chip " + entry.path().stem().string();
      const auto known = std::ranges::find(list, name, &ChipFinding::name);
      if (known == list.end()) list.push_back(examine(name, *document));
    }
  }
  std::ranges::sort(list, {}, &ChipFinding::name);
  return list;
}

std::unique_ptr<EvaluatorKind> make_cross_kind() { return std::make_unique<CrossKind>(); }

}  // namespace ke
