#pragma once
// Maps a run's task to the task of each of its devices.

#include <string>
#include <vector>

#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Name or folder of the task for a device: `opencl/*` and softmax yield opencl/softmax.
std::string task_on(const DeviceSpec& device, const std::string& task);

/// Language and arguments of the kernels, or the knobs of a subject that is no task. Kernels can
/// move between devices of equal ABI.
std::string abi_of(const Subject& subject);

/// Joins the devices' subjects into the run's: the only one, or the first with all of them in
/// `devices`. Error if tasks differ in their arguments, because their kernels then compute
/// different things.
Result<Subject> join_devices(const Experiment& experiment, std::vector<Subject> subjects);

/// Pairs of devices with neighbouring islands that cannot exchange kernels, with the reason; one
/// per line.
std::vector<std::string> without_exchange(const Experiment& experiment, const Subject& subject);

}  // namespace ke
