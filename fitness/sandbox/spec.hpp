#pragma once
// What an untrusted process gets: the request that travels to the helper `kernelevolve-sandbox`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.hpp"

namespace ke {

/// How strong the walls are. Probed once (`probe_sandbox`); a lower one can be asked for.
///  - namespaces: own mount, pid, network, ipc, uts (and, for ordinary users, user) namespaces, and
///    everything of `landlock`.
///  - landlock: Landlock, seccomp, resource limits, own uid where the caller is root.
///  - rlimits: resource limits, no_new_privs, own uid where the caller is root. Weak: files that
///    the uid may read are readable and sockets work.
enum class SandboxLevel { rlimits, landlock, namespaces };
constexpr SandboxLevel last_value(SandboxLevel) { return SandboxLevel::namespaces; }

/// Which system calls pass: the compiler may start programs, the worker may load one library, an
/// emulator may have an event loop beside what the compiler may, an unpacking worker may make files
/// beside what a worker may, and a baseline in Python may stop itself beside what the compiler may.
enum class SandboxProfile { compiler, worker, emulator, unpacking_worker, baseline };
constexpr SandboxProfile last_value(SandboxProfile) { return SandboxProfile::baseline; }
constexpr bool is_worker(SandboxProfile profile) {
  return profile == SandboxProfile::worker || profile == SandboxProfile::unpacking_worker;
}

std::string_view name(SandboxLevel level);

/// One inherited descriptor: `source` of the caller appears as `target` in the process.
struct InheritedFd {
  int source = -1;
  int target = -1;

  void encode(Encoder& out) const { out(source)(target); }
  void decode(Decoder& in) { in(source)(target); }
};

/// A place the process may write. With `tmpfs_bytes` it is an empty file system of that size in
/// memory (namespaces only; ignored below); with 0 it is the existing folder of the host itself.
struct WritablePath {
  std::string path;
  std::uint64_t tmpfs_bytes = 0;
  bool executable = false;  ///< libraries there may be loaded

  void encode(Encoder& out) const { out(path)(tmpfs_bytes)(executable); }
  void decode(Decoder& in) { in(path)(tmpfs_bytes)(executable); }
};

/// Limits of one process, in force before its first instruction.
struct SandboxLimits {
  std::uint64_t address_space_bytes = std::uint64_t{4} << 30;  ///< RLIMIT_AS; 0 = none
  std::uint64_t cpu_seconds = 60;                              ///< RLIMIT_CPU, hard limit 1 s later
  std::uint64_t file_bytes = 0;                                ///< RLIMIT_FSIZE
  std::uint64_t processes = 1;    ///< processes and threads together, the first one included
  std::uint64_t open_files = 64;  ///< RLIMIT_NOFILE
  std::uint64_t stack_bytes = std::uint64_t{8} << 20;

  void encode(Encoder& out) const {
    out(address_space_bytes)(cpu_seconds)(file_bytes)(processes)(open_files)(stack_bytes);
  }
  void decode(Decoder& in) {
    in(address_space_bytes)(cpu_seconds)(file_bytes)(processes)(open_files)(stack_bytes);
  }
};

/// Everything about one sandboxed process. Descriptors 0 to 2 are /dev/null unless `fds` name them;
/// all others are closed. The environment is fixed (see sandbox_environment).
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
  /// A control group for the whole tree where this process may make one (else ignored).
  bool cgroup = false;
  std::uint64_t cgroup_memory_bytes = std::uint64_t{4} << 30;
  std::vector<int> cgroup_procs;  ///< set by spawn()

  void encode(Encoder& out) const;  ///< what the helper needs of it
  void decode(Decoder& in);
};

/// The whole environment of the process, as `NAME=value`: OMP_NUM_THREADS, OMP_THREAD_LIMIT,
/// OMP_WAIT_POLICY=passive and LC_ALL=C; a worker gets GLIBC_TUNABLES, without restartable
/// sequences, a compiler and an emulator PATH and TMPDIR (= working_dir).
std::vector<std::string> sandbox_environment(const SandboxSpec& spec);

}  // namespace ke
