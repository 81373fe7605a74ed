#pragma once
// Reads registers of a stopped process without running it.

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace ke {

/// Registers that show a process's position and floating-point mode.
struct StoppedRegisters {
  std::uint64_t instruction = 0;
  std::uint64_t stack = 0;
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
};

/// Attaches to a process stopped by SIGSTOP, reads its registers and detaches; it stays stopped.
/// Nothing when the system forbids it.
std::optional<StoppedRegisters> read_registers(pid_t pid);

/// Number of threads of a process; 0 when it is not visible.
int count_threads(pid_t pid);

}  // namespace ke
