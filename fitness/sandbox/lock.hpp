#pragma once
// Locks a worker in before the candidate's first call.

#include <cstddef>
#include <cstdint>

#include "core/result.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Addresses whose mappings a locked worker cannot change.
struct ProtectedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Nothing is ever mapped within this distance below a protected range. seccomp can only compare
/// arguments with constants, so a range that reaches in from below is recognised by its length.
inline constexpr std::uint64_t protected_margin = std::uint64_t{1} << 40;

/// Reserves inaccessible addresses at a random place far below all other mappings. Empty range on
/// failure.
ProtectedRange reserve_apart(std::size_t bytes);

/// Call after dlopen and before the candidate's first call. Afterwards the process may only use
/// memory without PROT_EXEC and clocks, read and write open descriptors, send itself SIGABRT, and
/// exit; and create threads and wait for them if `threads` > 1. It may stop itself by the one
/// system call that returns to `stop_site`. Calls that wait, and other stops, end it with the exit
/// status that refused_calls.hpp gives them. Mappings within `range`, including its guards, stay as
/// they are. With one thread no protection can change, and new mappings cannot choose their
/// address. Everything else fails with EPERM; ptrace, exec, other processes' memory, namespaces,
/// bpf and the like kill the process (SIGSYS). At SandboxLevel::rlimits there is no seccomp and
/// nothing is locked. Needs no_new_privs, which spawn() sets. Cannot be undone.
Result<void> lock_worker(int threads, SandboxLevel level, const ProtectedRange& range,
                         const void* stop_site);

}  // namespace ke
