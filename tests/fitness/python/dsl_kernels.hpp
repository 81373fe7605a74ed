#pragma once
// A task for kernels in Python DSLs, and kernels that only need a plan.

#include <string>

#include "core/knob_space.hpp"
#include "tests/support/copy_task.hpp"

namespace ke::sample {

/// Maps x to y of half the element size, both of length n; the constant axis `taps` is 4.
inline Task dsl_task() {
  Task task = test::copy_task();
  task.constants = {{"taps", 4}};
  task.tensors[1].dtype = Dtype::float16;
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
