#pragma once
// The HIP runtime, opened with dlopen and made to look like the CUDA driver, so that one judge and
// one worker serve both. Signatures and numbers as HIP's documentation gives them, equal since 5.2;
// memory is shared between processes since 6.0.

#include <memory>
#include <string>

#include "core/result.hpp"
#include "fitness/gpu/driver.hpp"

namespace ke::hip {

/// Opens and initialises `library`; "" = usual names of libamdhip64.so. What AMD GPUs lack (tensor
/// maps, clusters, programmatic launch) answers not_supported, and what they need not (opting in to
/// shared memory, persisting lines of L2) does nothing. Errors: no such library, an old one, no
/// GPU; each says what to install.
Result<std::shared_ptr<const gpu::Driver>> open_hip(const std::string& library);

/// What a status of HIP is to the judge: unlike others, those of the runtime below (1050 and above)
/// become gpu::unknown, after which a process is not used again.
gpu::Status code_of(int status);

/// Why this process may not reach AMD GPUs at all, whatever is installed; "" = nothing is wrong.
/// `device`: /dev/kfd but in tests.
std::string refused_device(const std::string& device = "/dev/kfd");

}  // namespace ke::hip
