#pragma once
// CUDA's run-time compiler, opened with dlopen. Needs neither a driver nor a GPU.

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/result.hpp"

namespace ke::cuda {

/// The places of libnvrtc and of the headers that kernels may include.
struct NvrtcPlace {
  std::string library;      ///< path, or a bare name for the dynamic linker
  std::string include_dir;  ///< "" = none found: sources without headers still build
};

/// Searches `given`; "" = the usual places: CUDA's own folder, packages of the system's Python and
/// of the first python3 in PATH, then the dynamic linker's folders.
Result<NvrtcPlace> find_nvrtc(const std::string& given);

/// One program to compile.
struct CompileRequest {
  std::string name;
  std::string source;
  std::vector<std::string> options;
  KE_CODED(name, source, options)
};

/// The result. `log` holds messages and, with --ptxas-options=-v, the resource usage.
struct CompileReply {
  bool ok = false;
  std::string log;
  std::string cubin;
  std::string ptx;
  std::int64_t wall_ns = 0;
  KE_CODED(ok, log, cubin, ptx, wall_ns)
};

/// In the program `kernelevolve-cuda`: sends the compiler's version, then compiles requests from
/// `fd` until the stream ends.
Result<void> serve_compiler(const std::string& library, int fd);

}  // namespace ke::cuda
