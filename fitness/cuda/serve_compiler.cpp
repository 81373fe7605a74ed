#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>

#include "fitness/cuda/nvrtc.hpp"
#include "fitness/process/frame.hpp"

namespace ke::cuda {
namespace {

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

Result<void> serve_compiler(const std::string& library, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  keep_freed_memory();
  KE_TRY(const Nvrtc nvrtc, Nvrtc::open(library));
  // A source may try to exhaust the machine: allows memory for a large kernel and no file output.
  limit(RLIMIT_AS, rlim_t{8} << 30);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  if (!write_frame(fd, nvrtc.version())) return {};
  FrameReader reader(fd);
  while (reader.fill()) {
    while (const auto frame = reader.next()) {
      const auto request = decode<CompileRequest>(*frame);
      const CompileReply reply = request ? nvrtc.compile(*request) : CompileReply{};
      if (!write_frame(fd, encode(reply))) return {};
    }
  }
  return {};
}

}  // namespace ke::cuda
