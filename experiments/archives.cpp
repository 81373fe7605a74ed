#include "experiments/archives.hpp"

#include "archive/acceptance.hpp"
#include "archive/archives.hpp"
#include "experiments/read_experiment.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/yaml/read_yaml.hpp"

namespace ke {

std::unique_ptr<Archive> make_archive(const Experiment& experiment) {
  const auto kind = evaluator_kind(experiment);
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params acceptance = top.section("acceptance");
  Params section = top.section("archive");
  return read_archive(section,
                      {read_acceptance(acceptance, kind->default_rule()), kind->measures()});
}

std::unique_ptr<Archive> make_passive_archive(const Experiment& experiment) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params section = top.section("archive");
  return make_grid_archive(section, {nullptr, evaluator_kind(experiment)->measures()});
}

void read_archive(Params& top, Experiment& experiment) {
  Params section = top.section("archive");
  const ArchiveContext context{nullptr, evaluator_kind(experiment)->measures()};
  read_archive(section, context);
  experiment.archive = section.has("kind") ? section.node()->find("kind")->scalar : "grid";
  if (experiment.archive != "grid")
    make_grid_archive(section, context);  // the passive one's options
}

void read_acceptance(Params& top, Experiment& experiment) {
  Params section = top.section("acceptance");
  read_acceptance(section, evaluator_kind(experiment)->default_rule());
  AcceptancePlan& plan = experiment.acceptance;
  plan.error = section.real("error", 0.005, {1e-6, 0.2},
                            "chance that a duel promotes a kernel that is not better");
  plan.min_gain = section.real("min_gain", 0.01, {0, 1}, "relative gain that counts as better");
}

Result<void> fill_in_axes(Node& document) {
  const Node* archive = document.find("archive");
  if (archive != nullptr && archive->find("axes") != nullptr) return {};
  if (archive != nullptr && archive->kind == Node::Kind::list)
    return {};  // refused where it is read
  const Node* device = document.find("device");
  const Node* kind = device == nullptr ? nullptr : device->find("kind");
  const auto* row = find_component(evaluator_kinds(), kind == nullptr ? "cpu" : kind->scalar);
  if (row == nullptr) return {};
  KE_TRY(Node axes, read_yaml_value("archive.axes", row->make()->default_axes()));
  document.set("archive.axes", std::move(axes));
  return {};
}

}  // namespace ke
