#include "fitness/sandbox/lock.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fitness/sandbox/filters.hpp"
#include "fitness/sandbox/refused_calls.hpp"

namespace ke {
namespace {

constexpr std::uint64_t space_between = std::uint64_t{16} << 40;  // between program and libraries

void* reserve(void* wish, std::size_t bytes, int flags) {
  return mmap(wish, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

}  // namespace

// The system's random address, moved down by a constant, is equally random.
ProtectedRange reserve_apart(std::size_t bytes) {
  void* usual = reserve(nullptr, bytes, 0);
  if (usual == MAP_FAILED) return {};
  munmap(usual, bytes);
  const std::uint64_t wish = reinterpret_cast<std::uint64_t>(usual) - space_between;
  void* apart = reserve(reinterpret_cast<void*>(wish), bytes, MAP_FIXED_NOREPLACE);
  if (apart != reinterpret_cast<void*>(wish)) return {};
  return {wish, wish + bytes};
}

Result<void> lock_worker(int threads, SandboxLevel level, const ProtectedRange& range,
                         const void* stop_site) {
  if (level == SandboxLevel::rlimits) return {};
  // A locked worker cannot install another handler.
  struct sigaction action {};
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    _exit(refusal_status(info->si_syscall));
  };
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  if (std::string problem = load_stop_filter(stop_site); !problem.empty()) {
    return Error{Failure::io, std::move(problem)};
  }
  if (std::string problem = load_locked_filter(threads, range); !problem.empty()) {
    return Error{Failure::io, std::move(problem)};
  }
  return {};
}

}  // namespace ke
