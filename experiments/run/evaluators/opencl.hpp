#pragma once
// Parts of the OpenCL kind that `dispatch` uses directly.

#include <memory>
#include <string>

#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/opencl/opencl_evaluator.hpp"

namespace ke {

/// Options of a run of OpenCL kernels, and the sandbox around its compiler and its oracle.
struct OpenclSetup {
  opencl::OpenclOptions options;
  SandboxReport sandbox;
};

/// Reads the options below `device` and adds paths and settings of the program.
Result<OpenclSetup> opencl_setup(Params& device, const EvaluatorSetup& setup);

/// Name of the device that runs kernels, as OpenCL reports it. Error: what is missing.
Result<std::string> opencl_device(const OpenclSetup& setup);

/// Starts an evaluator with the oracle of its task.
Result<std::unique_ptr<Evaluator>> start_opencl(const std::shared_ptr<const Task>& task,
                                                const OpenclSetup& setup);

}  // namespace ke
