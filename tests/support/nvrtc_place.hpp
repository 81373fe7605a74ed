#pragma once
// CUDA's run-time compiler, for tests that compile device code.

#include <glob.h>

#include <string>

#include "fitness/cuda/nvrtc.hpp"

namespace ke {

/// The compiler among the packages that tests/install_dsls.sh installed, else in its usual places.
inline Result<cuda::NvrtcPlace> nvrtc_place() {
  glob_t found{};
  std::string path;
  const char* pattern =
      KE_SOURCE_DIR "/build/dsls/lib/python3*/site-packages/nvidia/cu13/lib/libnvrtc.so.13";
  if (glob(pattern, 0, nullptr, &found) == 0) path = found.gl_pathv[0];
  globfree(&found);
  return cuda::find_nvrtc(path);
}

}  // namespace ke
