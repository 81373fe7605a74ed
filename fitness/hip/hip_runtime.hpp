#pragma once
// The HIP runtime, opened with dlopen and adapted to the interface of the CUDA driver, so that one
// judge and one worker serve both. Signatures and numbers follow HIP's documentation, unchanged
// since 5.2; memory is shared between processes since 6.0.

#include <memory>
#include <string>

#include "core/result.hpp"
#include "fitness/gpu/driver.hpp"

namespace ke::hip {

/// Opens and initialises `library`; "" = usual names of libamdhip64.so. Features that AMD GPUs lack
/// (tensor maps, clusters, programmatic launch) answer not_supported; calls that they do not need
/// (opting in to shared memory, persisting lines of L2) do nothing. Errors: no such library, an old
/// one, no GPU; each says what to install.
Result<std::shared_ptr<const gpu::Driver>> open_hip(const std::string& library);

/// Translates a status of HIP for the judge. Statuses of the runtime below HIP (1050 and above)
/// become gpu::unknown, after which a process is not used again.
gpu::Status code_of(int status);

/// Why this process cannot reach any AMD GPU, whatever is installed; "" = no obstacle. Tests
/// replace `device`.
std::string refused_device(const std::string& device = "/dev/kfd");

}  // namespace ke::hip
