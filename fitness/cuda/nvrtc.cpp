#include "fitness/cuda/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "fitness/process/frame.hpp"
#include "fitness/process/symbols.hpp"
#include "fitness/timing/clock.hpp"

namespace ke::cuda {
namespace {

namespace fs = std::filesystem;

// Folders of a toolkit, then of the system's Python packages: PyTorch depends on NVRTC.
const char* const folders[] = {
    "/usr/local/cuda/lib64",
    "/usr/local/cuda/lib",
    "/opt/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/local/cuda/targets/x86_64-linux/lib",
    "/{usr/local,usr,opt/conda}/lib/python3*/*-packages/nvidia/{cu13,cuda_nvrtc}/lib"};
// Below the folder of a Python's packages: where pip puts nvidia-cuda-nvrtc.
const char* const package_folder = "/nvidia/{cu13,cuda_nvrtc}/lib";
const char* const file_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

bool is_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

/// The first file that matches a shell pattern, or "".
std::string first_match(const std::string& pattern) {
  glob_t found{};
  std::string path;
  if (glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0 && is_file(found.gl_pathv[0])) {
    path = found.gl_pathv[0];
  }
  globfree(&found);
  return path;
}

/// The library in a folder, which may be a shell pattern, or "".
std::string library_in(const std::string& folder) {
  for (const char* name : file_names) {
    std::string path = first_match(fmt::format("{}/{}", folder, name));
    if (!path.empty()) return path;
  }
  return {};
}

/// The folder of packages of the first python3 in PATH, e.g. of a virtual environment, or "".
std::string python_packages() {
  const char* command =
      "python3 -I -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"), end=\"\")' "
      "2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  char text[4096];
  const std::size_t size = pipe ? fread(text, 1, sizeof(text), pipe.get()) : 0;
  return std::string(text, size);
}

// Searches beside the library: the include folder of a toolkit, of a package or of its neighbour.
std::string headers_beside(const fs::path& library) {
  std::error_code code;
  const fs::path folder = fs::canonical(library, code).parent_path();
  for (const char* up :
       {"../include", "../../include", "../../../include", "../../cuda_runtime/include"}) {
    const fs::path include = (folder / up).lexically_normal();
    if (is_file(include / "cuda_fp16.h")) return include.string();
  }
  return is_file("/usr/local/cuda/include/cuda_fp16.h") ? "/usr/local/cuda/include" : "";
}

/// Loads NVRTC's built-ins beforehand: NVRTC opens them by bare name, which works only in the
/// dynamic linker's folders or when they are already loaded.
void load_builtins(const fs::path& library) {
  const std::string beside = (library.parent_path() / "libnvrtc-builtins.so*").string();
  const std::string builtins = library.has_parent_path() ? first_match(beside) : "";
  if (!builtins.empty()) dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

bool opens(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

template <typename Size, typename Get>
std::string text_of(void* program, Size size_of, Get get) {
  std::size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (get(program, text.data()) != 0) return {};
  return text;
}

void strip_end(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

/// Functions of libnvrtc. Only for the compile worker, since a source may crash it.
struct Nvrtc {
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

Result<Nvrtc> open_nvrtc(const std::string& library) {
  load_builtins(library);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{Failure::device, fmt::format("{} cannot be opened: {}", library, dlerror())};
  }
  Nvrtc nvrtc{};
  Symbols from(handle);
  from.take(nvrtc.version, "nvrtcVersion");
  from.take(nvrtc.create, "nvrtcCreateProgram");
  from.take(nvrtc.destroy, "nvrtcDestroyProgram");
  from.take(nvrtc.compile, "nvrtcCompileProgram");
  from.take(nvrtc.log_size, "nvrtcGetProgramLogSize");
  from.take(nvrtc.log, "nvrtcGetProgramLog");
  from.take(nvrtc.cubin_size, "nvrtcGetCUBINSize");
  from.take(nvrtc.cubin, "nvrtcGetCUBIN");
  from.take(nvrtc.ptx_size, "nvrtcGetPTXSize");
  from.take(nvrtc.ptx, "nvrtcGetPTX");
  from.take(nvrtc.error_text, "nvrtcGetErrorString");
  if (!from.missing().empty()) {
    return Error{Failure::device, library + " is no libnvrtc of CUDA 11 or later"};
  }
  return nvrtc;
}

/// "13.0".
std::string version_of(const Nvrtc& nvrtc) {
  int major = 0, minor = 0;
  nvrtc.version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

CompileReply compile_with(const Nvrtc& nvrtc, const CompileRequest& request,
                          std::vector<const char*> options) {
  CompileReply reply;
  void* program = nullptr;
  if (const int status = nvrtc.create(&program, request.source.c_str(), request.name.c_str(), 0,
                                      nullptr, nullptr)) {
    reply.log = nvrtc.error_text(status);
    return reply;
  }
  for (const std::string& option : request.options) options.push_back(option.c_str());
  const int status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  reply.ok = status == 0;
  reply.log = text_of(program, nvrtc.log_size, nvrtc.log);
  strip_end(reply.log);
  if (reply.ok) {
    reply.cubin = text_of(program, nvrtc.cubin_size, nvrtc.cubin);
    reply.ptx = text_of(program, nvrtc.ptx_size, nvrtc.ptx);
    strip_end(reply.ptx);
  } else if (reply.log.empty()) {
    reply.log = nvrtc.error_text(status);
  }
  nvrtc.destroy(&program);
  return reply;
}

/// Compiles first with `-minimal`, without CUDA's declarations for host code and textures, which
/// most kernels do not need; on failure, compiles again with them. The machine code is the same.
CompileReply compile(const Nvrtc& nvrtc, const CompileRequest& request) {
  const std::int64_t begin = now_ns();
  CompileReply reply = compile_with(nvrtc, request, {"-minimal"});
  if (!reply.ok) reply = compile_with(nvrtc, request, {});
  reply.wall_ns = now_ns() - begin;
  return reply;
}

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// Keeps memory that the compiler frees after each kernel, because it allocates it again.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace

Result<NvrtcPlace> find_nvrtc(const std::string& given) {
  if (!given.empty()) {
    if (!is_file(given)) {
      return Error{Failure::device, fmt::format("device.nvrtc = {} is no file", given)};
    }
    return NvrtcPlace{given, headers_beside(given)};
  }
  for (const char* folder : folders) {
    const std::string path = library_in(folder);
    if (!path.empty()) return NvrtcPlace{path, headers_beside(path)};
  }
  const std::string path = library_in(python_packages() + package_folder);
  if (!path.empty()) return NvrtcPlace{path, headers_beside(path)};
  for (const char* name : file_names) {
    if (opens(name)) return NvrtcPlace{name, headers_beside(name)};
  }
  return Error{
      Failure::device,
      "no CUDA compiler: libnvrtc is neither in /usr/local/cuda, nor among the packages of "
      "python3, nor known to the dynamic linker; install the CUDA toolkit, or 'pip install "
      "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl', or set device.nvrtc"};
}

Result<void> serve_compiler(const std::string& library, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  keep_freed_memory();
  KE_TRY(const Nvrtc nvrtc, open_nvrtc(library));
  // A source may try to exhaust the machine: allows memory for a large kernel and no file output.
  limit(RLIMIT_AS, rlim_t{8} << 30);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  if (!write_frame(fd, version_of(nvrtc))) return {};
  FrameReader reader(fd);
  while (reader.fill()) {
    while (const auto frame = reader.next()) {
      const auto request = decode<CompileRequest>(*frame);
      const CompileReply reply = request ? compile(nvrtc, *request) : CompileReply{};
      if (!write_frame(fd, encode(reply))) return {};
    }
  }
  return {};
}

}  // namespace ke::cuda
