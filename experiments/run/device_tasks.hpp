#pragma once
// A run's task as each of its devices takes it.

#include <string>
#include <vector>

#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// Name or folder of the task for a device: `opencl/*` and softmax give opencl/softmax.
std::string task_on(const DeviceSpec& device, const std::string& task);

/// Language and arguments of the kernels, or the knobs of what is no task: a kernel can go to
/// another device of the same ABI.
std::string abi_of(const Subject& subject);

/// The run's subject: the only one, or the first with all of them in `devices`. Error when tasks
/// differ in their arguments, as their kernels cannot compute the same then.
Result<Subject> join_devices(const Experiment& experiment, std::vector<Subject> subjects);

/// Pairs of devices whose islands are neighbours but cannot exchange kernels, and why; one a line.
std::vector<std::string> without_exchange(const Experiment& experiment, const Subject& subject);

}  // namespace ke
