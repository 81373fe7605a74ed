#include "fitness/sandbox/filters.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace ke {
namespace {

constexpr int every_namespace = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
// The flags of glibc's pthread_create. Other flags do not make a thread.
constexpr int thread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND |
                             CLONE_THREAD | CLONE_SETTLS | CLONE_PARENT_SETTID |
                             CLONE_CHILD_CLEARTID;
constexpr int request_dynamic_feature = 0x1023;  // arch_prctl(ARCH_REQ_XCOMP_PERM): AMX tiles

// clang-format off
// A kernel, an honest compiler and libc never make these calls, so they kill the process (SIGSYS).
constexpr const char* deadly_calls[] = {
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "bpf",
    "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "mount", "umount2",
    "pivot_root", "chroot", "setns", "unshare", "move_mount", "open_tree", "fsopen", "fsmount",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot",
    "swapon", "swapoff", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "open_by_handle_at", "name_to_handle_at", "setuid", "setgid", "setresuid", "setresgid",
    "setreuid", "setregid", "setgroups", "modify_ldt", "iopl", "ioperm", "quotactl", "acct",
    "syslog", "kcmp", "lookup_dcookie", "personality"};

// Calls that every process needs once it is loaded.
constexpr const char* running_calls[] = {
    "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fstat", "brk",
    "futex", "sched_yield", "sched_getaffinity", "nanosleep", "clock_nanosleep", "clock_gettime",
    "clock_getres", "gettimeofday", "time", "getpid", "gettid", "getppid", "getcpu", "getuid",
    "geteuid", "getgid", "getegid", "set_robust_list", "set_tid_address", "exit", "exit_group",
    "rt_sigreturn", "rt_sigprocmask", "restart_syscall", "getrandom", "uname", "getrusage", "poll"};
// clang-format on

// Further calls for starting a program and loading a library.
constexpr const char* loading_calls[] = {
    "execve",      "execveat",   "open",       "openat",  "openat2",   "newfstatat",
    "stat",        "lstat",      "statx",      "access",  "faccessat", "faccessat2",
    "readlink",    "readlinkat", "getcwd",     "mmap",    "munmap",    "mremap",
    "madvise",     "mprotect",   "arch_prctl", "prctl",   "seccomp",   "rt_sigaction",
    "sigaltstack", "dup",        "dup2",       "dup3",    "fcntl",     "getdents64",
    "statfs",      "fstatfs",    "mlock",      "munlock", "mlockall",  "pselect6",
    "ppoll",       "prlimit64",  "getrlimit",  "getpgrp", "getpgid",   "getsid",
    "rseq"};

// Further calls for g++, cc1plus, as, ld and objdump.
constexpr const char* compiling_calls[] = {"vfork",          "fork",      "wait4",
                                           "waitid",         "pipe",      "pipe2",
                                           "unlink",         "unlinkat",  "chmod",
                                           "fchmod",         "fchmodat",  "umask",
                                           "rename",         "renameat",  "renameat2",
                                           "mkdir",          "rmdir",     "ftruncate",
                                           "fallocate",      "utimensat", "chdir",
                                           "fadvise64",      "fsync",     "fdatasync",
                                           "sendfile",       "setrlimit", "sched_setaffinity",
                                           "copy_file_range"};

// Calls for unpacking an OpenCL program into its own folder.
constexpr const char* unpacking_calls[] = {"mkdir", "rename", "unlink", "fdatasync", "utimensat"};

// Further calls for the event loop and the clocks of an emulator.
constexpr const char* emulating_calls[] = {"eventfd2",        "signalfd4",       "timerfd_create",
                                           "timerfd_settime", "rt_sigtimedwait", "rt_sigpending",
                                           "msync",           "mincore",         "membarrier"};

// Further calls for the caches of torch.compile, beyond those of g++.
constexpr const char* torch_compile_calls[] = {"flock", "link", "symlink", "mkdirat", "utime"};

class Filter {
 public:
  explicit Filter(std::uint32_t fallback) : context_(seccomp_init(fallback)) {
    if (context_ == nullptr) problem_ = "seccomp_init failed";
    // Calls of another architecture (int 0x80, x32) kill the process.
    else
      seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() {
    if (context_ != nullptr) seccomp_release(context_);
  }

  void rule(std::uint32_t action, const char* call, const std::vector<scmp_arg_cmp>& when = {}) {
    if (!problem_.empty()) return;
    const int number = seccomp_syscall_resolve_name(call);
    if (number < 0) return;  // unknown to this libseccomp: the default action applies
    const int rc = seccomp_rule_add_array(context_, action, number,
                                          static_cast<unsigned>(when.size()), when.data());
    if (rc < 0 && rc != -EEXIST) fail(call, rc);
  }
  template <std::size_t N>
  void rules(std::uint32_t action, const char* const (&calls)[N]) {
    for (const char* call : calls) rule(action, call);
  }
  std::string load(bool all_threads) {
    if (!problem_.empty()) return problem_;
    if (all_threads) seccomp_attr_set(context_, SCMP_FLTATR_CTL_TSYNC, 1);
    if (const int rc = seccomp_load(context_); rc < 0) fail("load", rc);
    return problem_;
  }

 private:
  void fail(const char* what, int rc) {
    problem_ = std::string("seccomp ") + what + ": " + std::strerror(-rc);
  }
  scmp_filter_ctx context_;
  std::string problem_;
};

// clone3 hides its flags behind a pointer; ENOSYS makes libc fall back to clone.
void refuse_clone3(Filter& filter) { filter.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3"); }

void allow_threads(Filter& filter) {
  filter.rule(SCMP_ACT_ALLOW, "clone",
              {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(thread_flags))});
}

// A process may stop or abort itself but signal nobody else. The filter and the pid both survive
// exec.
void allow_own_signals(Filter& filter) {
  const auto self = static_cast<scmp_datum_t>(getpid());
  for (const int signal : {SIGSTOP, SIGABRT}) {  // SIGABRT: abort() must end with that signal
    const auto number = static_cast<scmp_datum_t>(signal);
    filter.rule(SCMP_ACT_ALLOW, "kill", {SCMP_A0(SCMP_CMP_EQ, self), SCMP_A1(SCMP_CMP_EQ, number)});
    filter.rule(SCMP_ACT_ALLOW, "tgkill",
                {SCMP_A0(SCMP_CMP_EQ, self), SCMP_A2(SCMP_CMP_EQ, number)});
  }
}

// Allows a call whose first two arguments are an address and a length if [address, address +
// length) does not overlap the range.
void allow_outside(Filter& filter, const char* call, const ProtectedRange& range,
                   std::initializer_list<scmp_arg_cmp> also = {}) {
  std::vector<scmp_arg_cmp> above{SCMP_A0_64(SCMP_CMP_GE, range.end)};
  above.insert(above.end(), also);
  filter.rule(SCMP_ACT_ALLOW, call, above);
  if (range.begin < protected_margin) return;  // an empty range: every address is above it
  std::vector<scmp_arg_cmp> below{SCMP_A0_64(SCMP_CMP_LT, range.begin - protected_margin),
                                  SCMP_A1_64(SCMP_CMP_LE, protected_margin)};
  below.insert(below.end(), also);
  filter.rule(SCMP_ACT_ALLOW, call, below);
}

// With one thread, honest code neither changes protections nor requests addresses; libc's arenas
// and the stacks of further threads do. mremap is forbidden because it could put a candidate's code
// in a library's place; realloc then copies. madvise on tensors is forbidden because it could give
// one arm larger pages than the other.
void allow_memory(Filter& filter, int threads, const ProtectedRange& range) {
  const scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  const scmp_arg_cmp anywhere =
      SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT, 0);
  allow_outside(filter, "munmap", range);
  allow_outside(filter, "madvise", range);
  filter.rule(SCMP_ACT_ALLOW, "mmap", {SCMP_A0_64(SCMP_CMP_EQ, 0), no_code, anywhere});
  if (threads == 1) return;
  allow_outside(filter, "mmap", range, {no_code, anywhere});
  allow_outside(filter, "mprotect", range, {no_code});
}

}  // namespace

std::string load_start_filter(SandboxProfile profile, int threads) {
  Filter filter(SCMP_ACT_ERRNO(EPERM));
  // QEMU's event loop tests for io_uring; the first rule of a call applies.
  if (profile == SandboxProfile::emulator) filter.rule(SCMP_ACT_ERRNO(ENOSYS), "io_uring_setup");
  filter.rules(SCMP_ACT_KILL_PROCESS, deadly_calls);
  filter.rules(SCMP_ACT_ALLOW, running_calls);
  filter.rules(SCMP_ACT_ALLOW, loading_calls);
  refuse_clone3(filter);
  filter.rule(SCMP_ACT_ALLOW, "ioctl", {SCMP_A1(SCMP_CMP_EQ, TCGETS)});
  if (profile == SandboxProfile::unpacking_worker) {
    filter.rules(SCMP_ACT_ALLOW, unpacking_calls);
  }
  // Workers must not call it: the machine's load reveals whether a candidate is being judged. PoCL
  // queries the memory size.
  if (profile != SandboxProfile::worker) filter.rule(SCMP_ACT_ALLOW, "sysinfo");
  if (!is_worker(profile)) {
    filter.rules(SCMP_ACT_ALLOW, compiling_calls);
    // Python uses these to mark descriptors as inheritable or not.
    filter.rule(SCMP_ACT_ALLOW, "ioctl", {SCMP_A1(SCMP_CMP_EQ, FIOCLEX)});
    filter.rule(SCMP_ACT_ALLOW, "ioctl", {SCMP_A1(SCMP_CMP_EQ, FIONCLEX)});
    if (profile == SandboxProfile::emulator) filter.rules(SCMP_ACT_ALLOW, emulating_calls);
    if (profile == SandboxProfile::baseline) {
      filter.rule(SCMP_ACT_ALLOW, "kill", {SCMP_A1(SCMP_CMP_EQ, SIGSTOP)});
      filter.rules(SCMP_ACT_ALLOW, torch_compile_calls);
    }
    filter.rule(SCMP_ACT_ALLOW, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, every_namespace, 0)});
    filter.rule(SCMP_ACT_ALLOW, "tgkill", {SCMP_A2(SCMP_CMP_EQ, SIGABRT)});
  } else {
    allow_own_signals(filter);
    if (threads > 1) allow_threads(filter);
  }
  return filter.load(false);
}

std::string load_locked_filter(int threads, const ProtectedRange& range) {
  Filter filter(SCMP_ACT_ERRNO(EPERM));
  filter.rules(SCMP_ACT_KILL_PROCESS, deadly_calls);
  filter.rule(SCMP_ACT_KILL_PROCESS, "execve");
  filter.rule(SCMP_ACT_KILL_PROCESS, "execveat");
  filter.rules(SCMP_ACT_ALLOW, running_calls);
  refuse_clone3(filter);
  allow_memory(filter, threads, range);
  filter.rule(SCMP_ACT_ALLOW, "arch_prctl", {SCMP_A0(SCMP_CMP_EQ, request_dynamic_feature)});
  allow_own_signals(filter);
  if (threads > 1) allow_threads(filter);
  return filter.load(true);
}

}  // namespace ke
