#pragma once
// The run-time compiler of CUDA, opened with dlopen. It needs no driver and no GPU.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/result.hpp"

namespace ke::cuda {

/// Where libnvrtc and the headers that kernels may include lie.
struct NvrtcPlace {
  std::string library;      ///< path, or a bare name for the dynamic linker
  std::string include_dir;  ///< "" = none found: sources without headers still build
  void encode(Encoder& out) const { out(library)(include_dir); }
  void decode(Decoder& in) { in(library)(include_dir); }
};

/// Looks at `given` ("" = usual places: CUDA's own folder, packages of a system's
/// Python, then the dynamic linker's).
Result<NvrtcPlace> find_nvrtc(const std::string& given);

/// One program to compile.
struct CompileRequest {
  std::string name;
  std::string source;
  std::vector<std::string> options;
  void encode(Encoder& out) const { out(name)(source)(options); }
  void decode(Decoder& in) { in(name)(source)(options); }
};

/// What became of it. `log` holds messages and, with --ptxas-options=-v, the use of resources.
struct CompileReply {
  bool ok = false;
  std::string log;
  std::string cubin;
  std::string ptx;
  std::int64_t wall_ns = 0;
  void encode(Encoder& out) const { out(ok)(log)(cubin)(ptx)(wall_ns); }
  void decode(Decoder& in) { in(ok)(log)(cubin)(ptx)(wall_ns); }
};

/// The compiler itself, in this process: for the compile worker alone, since a source may crash it.
class Nvrtc {
 public:
  static Result<Nvrtc> open(const std::string& library);
  /// "13.0".
  std::string version() const;
  /// Without what CUDA declares for host code and textures (`-minimal`), which most kernels do not
  /// need; the others are compiled again, with it. The machine code is the same.
  CompileReply compile(const CompileRequest& request) const;

 private:
  CompileReply compile_with(const CompileRequest& request, std::vector<const char*> options) const;
  struct Api {
    int (*version)(int*, int*);
    int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(void**);
    int (*compile)(void*, int, const char* const*);
    int (*log_size)(void*, std::size_t*);
    int (*log)(void*, char*);
    int (*cubin_size)(void*, std::size_t*);
    int (*cubin)(void*, char*);
    int (*ptx_size)(void*, std::size_t*);
    int (*ptx)(void*, char*);
    const char* (*error_text)(int);
  };
  Api api_{};
};

/// In the program `kernelevolve-cuda`: compiles what arrives on `fd` until the stream ends. Says
/// the compiler's version first.
Result<void> serve_compiler(const std::string& library, int fd);

}  // namespace ke::cuda
