#pragma once
// Maps a run's task to the task of each of its devices.
// A device for one task outside of a run, described by words like `device=riscv`.

#include <span>
#include <string>
#include <vector>

#include "experiments/run/assemble.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

struct DescribedDevice {
  Experiment experiment;
  Subject subject;
};

/// `words` override keys of `device`. Errors: another key, or a value that an experiment would
/// refuse.
Result<DescribedDevice> describe_device(const std::string& task,
                                        std::span<const std::string> words);

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
