#pragma once
// A task for kernels in Python DSLs, and kernels that only need a plan.

#include <string>

#include "core/knob_space.hpp"
#include "fitness/task.hpp"

namespace ke::sample {

/// Maps x to y of half the element size, both of length n; the constant axis `taps` is 4.
inline Task dsl_task() {
  Task task;
  task.axes = {"n"};
  task.constants = {{"taps", 4}};
  task.axis_arguments = {"n"};
  task.signature = {"x", "y", "n"};
  task.tensors.resize(2);
  task.tensors[0].name = "x";
  task.tensors[1].name = "y";
  task.tensors[1].output = true;
  task.tensors[1].dtype = Dtype::float16;
  for (TensorSpec& tensor : task.tensors) tensor.shape = {*Expression::parse("n")};
  task.workloads = {{{{"n", 1000}}, Role::test, "n=1000"}};
  return task;
}

/// Kernel of a source with its default knobs.
inline Kernel dsl_kernel(const std::string& source, const std::string& language) {
  Kernel kernel;
  if (const auto space = parse_kernel_space("k.py", source)) {
    kernel = space->defaults("k.py", source);
  }
  kernel.name = "k.py";
  kernel.source = source;
  kernel.language = language;
  return kernel;
}

}  // namespace ke::sample
