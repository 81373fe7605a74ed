#include "experiments/archives.hpp"

#include <fmt/format.h>

#include "archive/acceptance.hpp"
#include "archive/archives.hpp"
#include "experiments/read_experiment.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/yaml/read_yaml.hpp"

namespace ke {

std::unique_ptr<Archive> make_archive(const Experiment& experiment, std::size_t island) {
  const auto kind = evaluator_kind(experiment);
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params acceptance = top.section("acceptance");
  Params section = island_section(top, island, "archive");
  return read_archive(section,
                      {read_acceptance(acceptance, kind->default_rule()), measures_of(experiment)});
}

std::unique_ptr<Archive> make_passive_archive(const Experiment& experiment) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  const ArchiveContext context{nullptr, measures_of(experiment)};
  if (top.has("passive")) {
    Params section = top.section("passive");
    return read_archive(section, context);
  }
  Params section = top.section("archive");
  return make_grid_archive(section, context);
}

void read_archive_section(Params& section, const Experiment& experiment) {
  const ArchiveContext context{nullptr, measures_of(experiment)};
  read_archive(section, context);
  const bool grid = !section.has("kind") || section.node()->find("kind")->scalar == "grid";
  if (!grid) make_grid_archive(section, context);  // the passive one's options
}

void read_archive(Params& top, Experiment& experiment) {
  Params section = top.section("archive");
  read_archive_section(section, experiment);
  experiment.archive = section.has("kind") ? section.node()->find("kind")->scalar : "grid";
  if (!top.has("passive")) return;
  Params passive = top.section("passive");
  read_archive(passive, ArchiveContext{nullptr, measures_of(experiment)});
  if (section.has("axes")) section.raw("axes");  // its fallback, and known whatever reads it
  if (passive.has("axes")) passive.raw("axes");
}

void read_acceptance(Params& top, Experiment& experiment) {
  Params section = top.section("acceptance");
  read_acceptance(section, evaluator_kind(experiment)->default_rule());
  AcceptancePlan& plan = experiment.acceptance;
  plan.error = section.real("error", 0.005, {1e-6, 0.2},
                            "chance that a duel promotes a kernel that is not better");
  plan.min_gain = section.real("min_gain", 0.01, {0, 1}, "relative gain that counts as better");
}

namespace {

/// Archives of single islands without axes have those of the experiment.
void fill_in_axes_of_islands(Node& document) {
  const Node* archive = document.find("archive");
  const Node* axes = archive == nullptr ? nullptr : archive->find("axes");
  const Node* islands = document.find("islands");
  const Node* each = islands == nullptr ? nullptr : islands->find("each");
  if (axes == nullptr || each == nullptr) return;
  const Node copy = *axes;
  for (std::size_t i = 0; i < each->items.size(); ++i) {
    const Node* own = each->items[i].find("archive");
    if (own == nullptr || own->kind != Node::Kind::map || own->find("axes") != nullptr) continue;
    document.set(fmt::format("islands.each.{}.archive.axes", i), copy);
  }
}

Result<void> fill_in_own_axes(Node& document) {
  const Node* archive = document.find("archive");
  const Node* given = archive == nullptr ? nullptr : archive->find("axes");
  if (given != nullptr && given->kind != Node::Kind::null) return {};
  if (archive != nullptr && archive->kind == Node::Kind::list)
    return {};  // refused where it is read
  const Node* device = document.find("device");
  const Node* kind = device == nullptr ? nullptr : device->find("kind");
  const auto* row = find_component(evaluator_kinds(), kind == nullptr ? "cpu" : kind->scalar);
  if (row == nullptr) return {};
  ParamLog log;
  Params own(device, "device", log);
  KE_TRY(Node axes, read_yaml_value("archive.axes", row->make()->default_axes(own)));
  document.set("archive.axes", std::move(axes));
  return {};
}

}  // namespace

Result<void> fill_in_axes(Node& document) {
  KE_TRY_VOID(fill_in_own_axes(document));
  fill_in_axes_of_islands(document);
  const Node* passive = document.find("passive");
  const Node* archive = document.find("archive");
  const Node* axes = archive == nullptr ? nullptr : archive->find("axes");
  if (passive == nullptr || axes == nullptr || passive->find("axes") != nullptr) return {};
  if (passive->kind == Node::Kind::list) return {};  // refused where it is read
  document.set("passive.axes", Node(*axes));
  return {};
}

}  // namespace ke
