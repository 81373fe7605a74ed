#pragma once
// Specifies an untrusted process: the request that travels to the helper `kernelevolve-sandbox`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.hpp"

namespace ke {

/// Strength of the isolation. Probed once (`probe_sandbox`); callers may request a lower level.
///  - namespaces: own mount, pid, network, ipc, uts (and, for ordinary users, user) namespaces, and
///    everything of `landlock`.
///  - landlock: Landlock, seccomp, resource limits, own uid where the caller is root.
///  - rlimits: resource limits, no_new_privs, own uid where the caller is root. Weak: files that
///    the uid may read are readable and sockets work.
enum class SandboxLevel { rlimits, landlock, namespaces };
constexpr SandboxLevel last_value(SandboxLevel) { return SandboxLevel::namespaces; }

/// Selects the allowed system calls. A compiler may start programs; a worker may load one library.
/// In addition, an emulator may do what a compiler may and run an event loop, an unpacking worker
/// may do what a worker may and make files, and a Python baseline may do what a compiler may and
/// stop itself.
enum class SandboxProfile { compiler, worker, emulator, unpacking_worker, baseline };
constexpr SandboxProfile last_value(SandboxProfile) { return SandboxProfile::baseline; }
constexpr bool is_worker(SandboxProfile profile) {
  return profile == SandboxProfile::worker || profile == SandboxProfile::unpacking_worker;
}

constexpr std::string_view name(SandboxLevel level) {
  constexpr std::string_view names[] = {"rlimits", "landlock", "namespaces"};
  return names[static_cast<std::size_t>(level)];
}

/// One inherited descriptor: the caller's `source` becomes `target` in the process.
struct InheritedFd {
  int source = -1;
  int target = -1;

  KE_CODED(source, target)
};

/// A writable place. With `tmpfs_bytes` it is an empty in-memory file system of that size
/// (namespaces only; ignored at lower levels); with 0 it is the existing folder of the host.
struct WritablePath {
  std::string path;
  std::uint64_t tmpfs_bytes = 0;
  bool executable = false;  ///< libraries may be loaded from there

  KE_CODED(path, tmpfs_bytes, executable)
};

/// Limits of one process, in force from its first instruction.
struct SandboxLimits {
  std::uint64_t address_space_bytes = std::uint64_t{4} << 30;  ///< RLIMIT_AS; 0 = none
  std::uint64_t cpu_seconds = 60;                              ///< RLIMIT_CPU, hard limit 1 s later
  std::uint64_t file_bytes = 0;                                ///< RLIMIT_FSIZE
  std::uint64_t processes = 1;    ///< processes and threads together, including the first one
  std::uint64_t open_files = 64;  ///< RLIMIT_NOFILE
  std::uint64_t stack_bytes = std::uint64_t{8} << 20;

  KE_CODED(address_space_bytes, cpu_seconds, file_bytes, processes, open_files, stack_bytes)
};

/// Everything about one sandboxed process. Descriptors 0 to 2 are /dev/null unless `fds` name them;
/// all others are closed. The environment is fixed: OMP_NUM_THREADS,
/// OMP_THREAD_LIMIT, OMP_WAIT_POLICY=passive and LC_ALL=C; for a worker also GLIBC_TUNABLES,
/// without restartable sequences; for a compiler and an emulator also PATH and TMPDIR (=
/// working_dir).
struct SandboxSpec {
  std::string tools_dir;          ///< folder of `kernelevolve-sandbox`
  std::vector<std::string> argv;  ///< argv[0] is an absolute path and must be readable inside
  std::vector<InheritedFd> fds;
  std::vector<std::string> read_only;  ///< files and folders that exist inside, read-only
  std::vector<WritablePath> writable;
  std::string working_dir = "/";
  SandboxLimits limits;
  SandboxProfile profile = SandboxProfile::worker;
  SandboxLevel level = SandboxLevel::namespaces;
  int threads = 1;    ///< OMP_NUM_THREADS and OMP_THREAD_LIMIT
  bool proc = false;  ///< mount /proc (sanitizers need it); namespaces only
  /// Makes a control group for the whole tree if this process may (else ignored).
  bool cgroup = false;
  std::uint64_t cgroup_memory_bytes = std::uint64_t{4} << 30;
  std::vector<int> cgroup_procs;  ///< set by spawn()

  /// Only the part that the helper needs.
  KE_CODED(argv, fds, read_only, writable, working_dir, limits, profile, level, threads, proc,
           cgroup_procs)
};

}  // namespace ke
