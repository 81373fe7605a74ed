#pragma once
// The sections of an experiment, each read by one function. Private to experiments.

#include "experiments/experiment.hpp"

namespace ke {

/// Reads the keys that are no component's own.
void read_run(Params& top, Experiment& experiment);
void read_islands(Params& top, Experiment& experiment);
void read_acceptance(Params& top, Experiment& experiment);
/// Reads the sections of components, making each once so that it declares and checks its options.
void read_strategy(Params& top, Experiment& experiment);
void read_operators(Params& top, Experiment& experiment);
void read_archive(Params& top, Experiment& experiment);
void read_device(Params& top, Experiment& experiment);

/// Puts the device's default axes into a document without axes.
Result<void> fill_in_axes(Node& document);

/// Whether a resolved path belongs to the machine or the label, not to the configuration's
/// identity.
bool outside_identity(std::string_view path);

}  // namespace ke
