#include <fmt/format.h>

#include <algorithm>

#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {
namespace {

std::string read_kind(Params& section) {
  const std::string kind = section.choice("kind", "cpu", component_names(evaluator_kinds()),
                                          "what evaluates kernels; see 'list evaluators'");
  const auto* row = find_component(evaluator_kinds(), kind);
  if (row != nullptr) row->make()->declare(section);
  return kind;
}

std::string read_name(Params& section, const std::string& kind) {
  return section.text("name", kind, "what reports call it, where islands have several devices");
}

/// Equal for sections that describe the same device, independent of which defaults they spell out.
std::string identity_of(const Node* section) {
  ParamLog log;
  Params device(section, "device", log);
  read_name(device, read_kind(device));
  std::erase_if(log.values, [](const auto& value) { return outside_identity(value.first); });
  return log.canonical_text();
}

bool several_devices(Params& top) {
  const std::vector<Params> own = top.section("islands").sections("each");
  return std::ranges::any_of(own, [](const Params& island) { return island.has("device"); });
}

DeviceSpec read_spec(Params& top, const Experiment& experiment, std::size_t island) {
  DeviceSpec spec;
  if (names_device(top, island)) {
    spec.island = island;
    Params section = device_section(top, spec);
    spec.kind = read_kind(section);
    spec.name = read_name(section, spec.kind);
  } else {
    Params section = top.section("device");
    spec.kind = experiment.device;
    spec.name = several_devices(top) ? read_name(section, spec.kind) : spec.kind;
  }
  std::vector<Params> own = top.section("islands").sections("each");
  if (island < own.size() && own[island].has("task")) {
    spec.task =
        own[island].text("task", "", "task as the island's device takes it; '*' is the run's task");
  }
  return spec;
}

std::vector<std::string> default_tasks(Params& top, const DeviceSpec& device) {
  const auto* row = find_component(evaluator_kinds(), device.kind);
  if (row == nullptr) return {};
  Params section = device_section(top, device);
  return row->make()->default_tasks(section);
}

}  // namespace

void read_device(Params& top, Experiment& experiment) {
  Params section = top.section("device");
  experiment.device = read_kind(section);
  const bool listing = top.node() == nullptr;
  if (listing) read_name(section, experiment.device);
  section.raw("name");  // not used in a run with one device and not part of its identity
}

void read_devices(Params& top, Experiment& experiment) {
  std::vector<std::string> identities;
  for (std::size_t i = 0; i < static_cast<std::size_t>(experiment.islands.count); ++i) {
    DeviceSpec spec = read_spec(top, experiment, i);
    const std::string identity = identity_of(device_section(top, spec).node()) + "\n" + spec.task;
    const auto known = std::ranges::find(identities, identity);
    experiment.islands.device_of.push_back(static_cast<std::size_t>(known - identities.begin()));
    if (known != identities.end()) continue;
    if (std::ranges::find(experiment.devices, spec.name, &DeviceSpec::name) !=
        experiment.devices.end()) {
      device_section(top, spec).fail(
          "", fmt::format("is another device than that of the same name '{}'; give it a 'name'",
                          spec.name));
    }
    identities.push_back(identity);
    experiment.devices.push_back(std::move(spec));
  }
  if (experiment.tasks.empty()) experiment.tasks = default_tasks(top, experiment.devices.front());
}

bool names_device(Params& top, std::size_t island) {
  const std::vector<Params> own = top.section("islands").sections("each");
  return island < own.size() && own[island].has("device");
}

Params device_section(Params& top, const DeviceSpec& device) {
  if (!device.island) return top.section("device");
  return top.section("islands").sections("each")[*device.island].section("device");
}

}  // namespace ke
