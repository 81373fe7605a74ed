#include "experiments/run/config/archives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "archive/acceptance.hpp"
#include "archive/archives.hpp"
#include "archive/device_archives.hpp"
#include "archive/run_reader.hpp"
#include "archive/specialist_archive.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/yaml/read_yaml.hpp"

namespace ke {

std::unique_ptr<Archive> make_archive(const Experiment& experiment, std::size_t island) {
  const std::size_t device = experiment.islands.device_of[island];
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params acceptance = names_device(top, island)
                          ? top.section("islands").sections("each")[island].section("acceptance")
                          : top.section("acceptance");
  Params section = island_section(top, island, "archive");
  const auto kind = evaluator_kind(experiment, device);
  const ArchiveContext context{read_acceptance(acceptance, kind->default_rule()),
                               measures_of(experiment, device)};
  if (!experiment.acceptance.validation || kind->simulated()) return read_archive(section, context);
  return std::make_unique<SpecialistArchive>(read_archive(section, context),
                                             read_archive(section, context));
}

namespace {

/// Makes a grid on the axes of the device's first island.
std::unique_ptr<Archive> make_device_grid(const Experiment& experiment, std::size_t device) {
  const auto& device_of = experiment.islands.device_of;
  const auto first = std::ranges::find(device_of, device) - device_of.begin();
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params section = island_section(top, static_cast<std::size_t>(first), "archive");
  return make_grid_archive(section, {nullptr, measures_of(experiment, device)});
}

}  // namespace

std::unique_ptr<Archive> make_passive_archive(const Experiment& experiment) {
  if (experiment.devices.size() > 1) {
    std::vector<DeviceArchives::Part> parts;
    for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
      parts.push_back({experiment.devices[d].name, make_device_grid(experiment, d)});
    }
    return std::make_unique<DeviceArchives>(std::move(parts), experiment.islands.device_of);
  }
  ParamLog log;
  Params top(&experiment.document, "", log);
  const bool own = !experiment.devices.empty() && experiment.devices.front().island;
  const ArchiveContext context{nullptr, own ? measures_of(experiment, 0) : measures_of(experiment)};
  if (top.has("passive")) {
    Params section = top.section("passive");
    return read_archive(section, context);
  }
  Params section = own ? island_section(top, 0, "archive") : top.section("archive");
  return make_grid_archive(section, context);
}

std::size_t archive_cells(const Experiment& experiment) {
  if (experiment.numeric) return make_passive_archive(experiment)->cells();
  const auto archive = make_archive(experiment, 0);
  const auto axes = axes_of(*archive);
  return axes.empty() ? archive->cells() : distinct_cells(axes);
}

void read_archive_section(Params& section, const std::vector<AxisInfo>& measures) {
  const ArchiveContext context{nullptr, measures};
  read_archive(section, context);
  const bool grid = !section.has("kind") || section.node()->find("kind")->scalar == "grid";
  if (!grid) make_grid_archive(section, context);  // declares the options of the passive archive
}

namespace {

bool names_unknown_axis(const Node* archive, const std::vector<AxisInfo>& measures) {
  const Node* axes = archive == nullptr ? nullptr : archive->find("axes");
  if (axes == nullptr) return false;
  return !std::ranges::all_of(axes->items, [&](const Node& axis) {
    const Node* measure = axis.find("measure");
    return measure == nullptr ||
           std::ranges::find(measures, measure->scalar, &AxisInfo::name) != measures.end();
  });
}

/// Measures for axes; where an axis names another, also those that only the task's files hold.
std::vector<AxisInfo> measures_for_axes(const Experiment& experiment) {
  std::vector<AxisInfo> measures = measures_of(experiment);
  const Node& document = experiment.document;
  if (!names_unknown_axis(document.find("archive"), measures) &&
      !names_unknown_axis(document.find("passive"), measures)) {
    return measures;
  }
  const auto folder = std::filesystem::path(document.place.file).parent_path();
  for (AxisInfo& info :
       common_kind(experiment)
           ->recorded_measures(experiment.tasks, folder.empty() ? "." : folder.string())) {
    measures.push_back(std::move(info));
  }
  return measures;
}

}  // namespace

void read_archive(Params& top, Experiment& experiment) {
  const std::vector<AxisInfo> measures = measures_for_axes(experiment);
  Params section = top.section("archive");
  read_archive_section(section, measures);
  experiment.archive = section.has("kind") ? section.node()->find("kind")->scalar : "grid";
  if (!top.has("passive")) return;
  if (experiment.devices.size() > 1) {
    top.fail("passive", "has no place here: with several devices it is a grid for each of them");
  }
  Params passive = top.section("passive");
  read_archive(passive, ArchiveContext{nullptr, measures});
  // Reads the fallback axes, so that they count as known whichever archive uses them.
  if (section.has("axes")) section.raw("axes");
  if (passive.has("axes")) passive.raw("axes");
}

void read_acceptance(Params& top, Experiment& experiment) {
  Params section = top.section("acceptance");
  read_acceptance(section, common_kind(experiment)->default_rule());
  AcceptancePlan& plan = experiment.acceptance;
  plan.error = section.real("error", 0.005, {1e-6, 0.2},
                            "chance that a duel promotes a kernel that is not better");
  plan.min_gain = section.real("min_gain", 0.01, {0, 1}, "relative gain that counts as better");
  plan.validation =
      section.added("off").choice("validation", "screen", {"off", "screen"},
                                  "screen: kernels that may become elites are timed at the "
                                  "validation workloads too; those that lose there against the "
                                  "anchor keep places of their own") == "screen";
}

namespace {

/// Returns the device's default axes, or nothing when its kind is unknown; the reader of the kind
/// reports that.
Result<std::optional<Node>> default_axes(const Node* device) {
  const Node* kind = device == nullptr ? nullptr : device->find("kind");
  const auto* row = find_component(evaluator_kinds(), kind == nullptr ? "cpu" : kind->scalar);
  if (row == nullptr) return std::optional<Node>();
  ParamLog log;
  Params own(device, "device", log);
  KE_TRY(Node axes, read_yaml_value("archive.axes", row->make()->default_axes(own)));
  return std::optional<Node>(std::move(axes));
}

bool has_axes(const Node* archive) {
  const Node* axes = archive == nullptr ? nullptr : archive->find("axes");
  return axes != nullptr && axes->kind != Node::Kind::null;
}

/// Gives an island without axes those of the experiment. If the experiment has none either, an
/// island with its own device gets that device's default axes.
Result<void> fill_in_axes_of_island(Node& document, std::size_t i, bool given) {
  const Node& island = document.find("islands")->find("each")->items[i];
  const Node common = *document.find("archive");
  const Node* device = island.find("device");
  const Node* own = island.find("archive");
  const std::string path = fmt::format("islands.each.{}.archive", i);
  if (own != nullptr && (own->kind != Node::Kind::map || own->find("axes") != nullptr)) return {};
  if (device == nullptr || given) {
    if (own != nullptr) document.set(path + ".axes", *common.find("axes"));
    return {};
  }
  KE_TRY(std::optional<Node> axes, default_axes(device));
  if (!axes) return {};
  if (own == nullptr) document.set(path, common);
  document.set(path + ".axes", *std::move(axes));
  return {};
}

Result<void> fill_in_axes_of_islands(Node& document, bool given) {
  const Node* islands = document.find("islands");
  const Node* each = islands == nullptr ? nullptr : islands->find("each");
  if (each == nullptr || !has_axes(document.find("archive"))) return {};
  for (std::size_t i = 0; i < each->items.size(); ++i) {
    KE_TRY_VOID(fill_in_axes_of_island(document, i, given));
  }
  return {};
}

Result<void> fill_in_own_axes(Node& document) {
  const Node* archive = document.find("archive");
  if (archive != nullptr && archive->kind == Node::Kind::list)
    return {};  // the reader of this key reports the error
  KE_TRY(std::optional<Node> axes, default_axes(document.find("device")));
  if (axes) document.set("archive.axes", *std::move(axes));
  return {};
}

}  // namespace

Result<void> fill_in_axes(Node& document) {
  const bool given = has_axes(document.find("archive"));
  if (!given) KE_TRY_VOID(fill_in_own_axes(document));
  KE_TRY_VOID(fill_in_axes_of_islands(document, given));
  const Node* passive = document.find("passive");
  const Node* archive = document.find("archive");
  const Node* axes = archive == nullptr ? nullptr : archive->find("axes");
  if (passive == nullptr || axes == nullptr || passive->find("axes") != nullptr) return {};
  if (passive->kind == Node::Kind::list) return {};  // the reader of this key reports the error
  document.set("passive.axes", Node(*axes));
  return {};
}

}  // namespace ke
