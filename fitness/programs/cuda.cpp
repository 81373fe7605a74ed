// kernelevolve-cuda compile LIBRARY | run DEVICE [HIP_LIBRARY] | examine FILE: the helper processes
// of the CUDA evaluator. The first two use descriptor 3 as their socket.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fitness/cuda/nvrtc.hpp"
#include "fitness/gpu/worker_protocol.hpp"
#include "fitness/hip/hip_runtime.hpp"

namespace {

constexpr int socket_end = 3;

ke::Result<void> run(const char* device, const char* hip_library) {
  const auto open = [&] {
    return hip_library == nullptr ? ke::gpu::load_driver() : ke::hip::open_hip(hip_library);
  };
  return ke::gpu::serve_worker(open, std::atoi(device), socket_end);
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_run = argc > 1 && std::string_view(argv[1]) == "run";
  if (argc != 3 && !(argc == 4 && to_run)) {
    std::fputs("kernelevolve-cuda is started by kernelevolve\n", stderr);
    return 2;
  }
  const std::string_view mode = argv[1];
  const auto served = mode == "compile"   ? ke::cuda::serve_compiler(argv[2], socket_end)
                      : mode == "examine" ? ke::gpu::serve_examined(argv[2])
                                          : run(argv[2], argv[3]);
  if (served) return 0;
  std::fprintf(stderr, "kernelevolve-cuda: %s\n", served.error().message.c_str());
  return 4;
}
