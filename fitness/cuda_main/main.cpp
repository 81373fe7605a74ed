// kernelevolve-cuda compile LIBRARY | run DEVICE | examine FILE: the helper processes of the CUDA
// evaluator. Descriptor 3 is the socket of the first two.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fitness/cuda/serve.hpp"

int main(int argc, char** argv) {
  constexpr int socket = 3;
  if (argc != 3) {
    std::fputs("kernelevolve-cuda is started by kernelevolve\n", stderr);
    return 2;
  }
  const std::string_view mode = argv[1];
  const auto served = mode == "compile"   ? ke::cuda::serve_compiler(argv[2], socket)
                      : mode == "examine" ? ke::cuda::serve_examined(argv[2])
                                          : ke::cuda::serve_worker(std::atoi(argv[2]), socket);
  if (served) return 0;
  std::fprintf(stderr, "kernelevolve-cuda: %s\n", served.error().message.c_str());
  return 4;
}
