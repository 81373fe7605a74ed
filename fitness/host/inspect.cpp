#include "fitness/host/inspect.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ke {
namespace {

bool read_set(pid_t pid, int set, void* into, std::size_t bytes) {
  iovec part{into, bytes};
  return ptrace(static_cast<__ptrace_request>(PTRACE_GETREGSET), pid, set, &part) == 0;
}

std::optional<StoppedRegisters> read_attached(pid_t pid) {
  user_regs_struct general{};
  user_fpregs_struct floating{};
  if (!read_set(pid, NT_PRSTATUS, &general, sizeof general)) return std::nullopt;
  if (!read_set(pid, NT_PRFPREG, &floating, sizeof floating)) return std::nullopt;
  return StoppedRegisters{general.rip, general.rsp, floating.mxcsr, floating.cwd};
}

}  // namespace

std::optional<StoppedRegisters> read_registers(pid_t pid) {
  if (ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return std::nullopt;
  const auto registers = read_attached(pid);
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return registers;
}

int count_threads(pid_t pid) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  // The name may contain anything, so count fields after its last parenthesis. Threads are the 20th
  // field [proc(5)], the 18th after the name.
  const char* field = std::strrchr(text, ')');
  for (int i = 0; field != nullptr && i < 18; ++i) field = std::strchr(field + 1, ' ');
  return field != nullptr ? std::atoi(field) : 0;
}

}  // namespace ke
