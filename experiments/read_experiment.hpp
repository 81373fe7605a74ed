#pragma once
// The sections of an experiment, each read by one function. Private to experiments.

#include "archive/axis.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// Reads the keys that are no component's own.
void read_run(Params& top, Experiment& experiment);
void read_islands(Params& top, Experiment& experiment);
/// Fills islands.each; after the sections of components, which hold where an island says nothing.
void read_each_island(Params& top, Experiment& experiment);
void read_acceptance(Params& top, Experiment& experiment);
/// Reads the sections of components, making each once so that it declares and checks its options.
void read_strategy(Params& top, Experiment& experiment);
void read_operators(Params& top, Experiment& experiment);
void read_archive(Params& top, Experiment& experiment);
/// The same for sections wherever they stand.
std::string read_strategy_section(Params& section);
std::vector<OperatorWeight> read_operator_section(Params& section, bool given);
void read_archive_section(Params& section, const std::vector<AxisInfo>& measures);
/// The section `name` that holds for an island: its own in islands.each, else the experiment's.
Params island_section(Params& top, std::size_t island, std::string_view name);
void read_device(Params& top, Experiment& experiment);
/// After the islands: what each of them runs on, and the tasks when the experiment gives none.
void read_devices(Params& top, Experiment& experiment);
/// The section that describes a device.
Params device_section(Params& top, const DeviceSpec& device);
/// Whether an island has a device of its own, and with it its own acceptance.
bool names_device(Params& top, std::size_t island);
/// After the operators: those that ask a model need one.
void read_llm(Params& top, Experiment& experiment);
/// The section `ensemble` of the section llm; no models without one.
ModelPlan read_ensemble(Params& llm);
void read_memory(Params& top, Experiment& experiment);
void read_queue(Params& top, Experiment& experiment);

/// Puts the device's default axes into a document without axes.
Result<void> fill_in_axes(Node& document);

/// Whether a resolved path belongs to the machine or the label, not to the configuration's
/// identity.
bool outside_identity(std::string_view path);

}  // namespace ke
