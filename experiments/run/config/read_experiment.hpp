#pragma once
// Readers of an experiment's sections, one function each. Private to experiments.

#include "archive/axis.hpp"
#include "experiments/run/config/experiment.hpp"

namespace ke {

/// Reads the keys that belong to no component.
void read_run(Params& top, Experiment& experiment);
void read_islands(Params& top, Experiment& experiment);
/// Fills islands.each. Call after the components' sections, which are the islands' defaults.
void read_each_island(Params& top, Experiment& experiment);
void read_acceptance(Params& top, Experiment& experiment);
/// Reads the sections of components; makes each component once so that it declares and checks its
/// options.
void read_strategy(Params& top, Experiment& experiment);
void read_operators(Params& top, Experiment& experiment);
void read_archive(Params& top, Experiment& experiment);
/// Read the options of a component from its section, wherever that is.
std::string read_strategy_section(Params& section);
std::vector<OperatorWeight> read_operator_section(Params& section, bool given);
void read_archive_section(Params& section, const std::vector<AxisInfo>& measures);
/// Section `name` of an island: its own in islands.each, else the experiment's.
Params island_section(Params& top, std::size_t island, std::string_view name);
void read_device(Params& top, Experiment& experiment);
/// Reads each island's device, and the tasks if the experiment gives none. Call after read_islands.
void read_devices(Params& top, Experiment& experiment);
/// Section that describes a device.
Params device_section(Params& top, const DeviceSpec& device);
/// True if an island has its own device, and so its own acceptance.
bool names_device(Params& top, std::size_t island);
/// Reads the section llm. Call after the operators: those that ask a model require it.
void read_llm(Params& top, Experiment& experiment);
/// Reads the section `ensemble` of the section llm; no models if it is missing.
ModelPlan read_ensemble(Params& llm);
void read_memory(Params& top, Experiment& experiment);
/// Reads the section hints; null if it is missing.
std::unique_ptr<HintPool> read_hints(Params& top);
/// Reads it and requires an operator whose letters carry hints.
void check_hints(Params& top, const Experiment& experiment);
void read_queue(Params& top, Experiment& experiment);

/// Puts the device's default axes into a document without axes.
Result<void> fill_in_axes(Node& document);

/// True if a resolved path belongs to the machine or the label, not to the configuration's
/// identity.
bool outside_identity(std::string_view path);

}  // namespace ke
