#pragma once
// Programs in OpenCL for libraries, which build them on the device where they are called.

#include <memory>

#include "experiments/dispatch/kernel_codes.hpp"
#include "fitness/task.hpp"

namespace ke {

/// `device`: name that OpenCL reports. The code is the kernel's source with its launch plan, which
/// is what was judged.
std::unique_ptr<const KernelCodes> make_opencl_codes(std::shared_ptr<const Task> task,
                                                     std::string device);

}  // namespace ke
