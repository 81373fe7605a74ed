#pragma once
// The worker's own last step: shuts itself in before a candidate's first call.

#include <cstddef>
#include <cstdint>

#include "core/result.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Addresses whose mappings a locked worker can no longer change.
struct ProtectedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Nothing is ever mapped in so many bytes below a protected range: seccomp compares arguments with
/// constants only, and this is what tells a range that reaches in from below by its length.
inline constexpr std::uint64_t protected_margin = std::uint64_t{1} << 40;

/// Reserves addresses without access, at a random place far below all other mappings. Empty range
/// when that failed.
ProtectedRange reserve_apart(std::size_t bytes);

/// Call after dlopen and before the first call of the candidate. From then on: memory without
/// PROT_EXEC, clocks, futexes, reading and writing of open descriptors, SIGSTOP and SIGABRT to
/// itself, ending; threads only when `threads` > 1. Mappings
/// within `range`, its guards too, stay as they are; with one thread no protection changes at all
/// and new mappings have no wishes for their place. Everything else answers EPERM; ptrace, exec,
/// other processes' memory, namespaces, bpf and the like kill the process (SIGSYS).
/// At SandboxLevel::rlimits there is no seccomp and nothing is locked. Needs no_new_privs, which
/// spawn() has set. Cannot be undone.
Result<void> lock_worker(int threads, SandboxLevel level, const ProtectedRange& range);

}  // namespace ke
