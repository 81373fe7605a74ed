#pragma once
// The worker's own last step: shuts itself in before a candidate's first call.

#include "core/result.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Call after dlopen and before the first call of the candidate. From then on: memory without
/// PROT_EXEC, clocks, futexes, reading and writing of open descriptors, SIGSTOP and SIGABRT to
/// itself, ending; threads only when `threads` > 1. Everything else answers EPERM; ptrace, exec,
/// other processes' memory, namespaces, bpf and the like kill the process (SIGSYS).
/// At SandboxLevel::rlimits there is no seccomp and nothing is locked. Needs no_new_privs, which
/// spawn() has set. Cannot be undone.
Result<void> lock_worker(int threads, SandboxLevel level);

}  // namespace ke
