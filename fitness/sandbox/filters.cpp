#include "fitness/sandbox/filters.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "fitness/sandbox/refused_calls.hpp"

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
    "sched_getaffinity", "clock_gettime", "clock_getres", "gettimeofday", "time", "getpid",
    "gettid", "getppid", "getcpu", "getuid", "geteuid", "getgid", "getegid", "set_robust_list",
    "exit", "exit_group", "rt_sigreturn", "rt_sigprocmask", "restart_syscall",
    "getrandom", "uname", "getrusage"};

// Calls that wait. A locked worker may not make them, see refused_calls.hpp.
constexpr const char* waiting_calls[] = {"futex", "sched_yield", "nanosleep", "clock_nanosleep",
                                         "poll"};
// clang-format on

// Further calls for starting a program and loading a library.
constexpr const char* loading_calls[] = {
    "execve",     "execveat",   "open",      "openat",         "openat2",
    "newfstatat", "stat",       "lstat",     "statx",          "access",
    "faccessat",  "faccessat2", "readlink",  "readlinkat",     "getcwd",
    "mmap",       "munmap",     "mremap",    "madvise",        "mprotect",
    "arch_prctl", "prctl",      "seccomp",   "rt_sigaction",   "sigaltstack",
    "dup",        "dup2",       "dup3",      "fcntl",          "getdents64",
    "statfs",     "fstatfs",    "mlock",     "munlock",        "mlockall",
    "pselect6",   "ppoll",      "prlimit64", "getrlimit",      "getpgrp",
    "getpgid",    "getsid",     "rseq",      "set_tid_address"};

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
    const int number = seccomp_syscall_resolve_name(call);
    if (number >= 0) rule(action, number, when);  // else the default action applies
  }
  void rule(std::uint32_t action, int call, const std::vector<scmp_arg_cmp>& when = {}) {
    if (!problem_.empty()) return;
    const int rc = seccomp_rule_add_array(context_, action, call,
                                          static_cast<unsigned>(when.size()), when.data());
    if (rc < 0 && rc != -EEXIST) fail("rule for call " + std::to_string(call), rc);
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
  void fail(const std::string& what, int rc) {
    problem_ = "seccomp " + what + ": " + std::strerror(-rc);
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

// A process may send itself these signals but none to others. The filter and the pid both survive
// exec.
void allow_own_signals(Filter& filter, std::initializer_list<int> signals) {
  const auto self = static_cast<scmp_datum_t>(getpid());
  for (const int signal : signals) {
    const auto number = static_cast<scmp_datum_t>(signal);
    filter.rule(SCMP_ACT_ALLOW, "kill", {SCMP_A0(SCMP_CMP_EQ, self), SCMP_A1(SCMP_CMP_EQ, number)});
    filter.rule(SCMP_ACT_ALLOW, "tgkill",
                {SCMP_A0(SCMP_CMP_EQ, self), SCMP_A2(SCMP_CMP_EQ, number)});
  }
}

// Sleeping gives a kernel a choice of its samples. One thread has nobody to wait for, so a futex
// that waits is a sleep too.
void refuse_waits(Filter& filter, int threads) {
  for (const RefusedCall& call : sleeping_calls) filter.rule(SCMP_ACT_TRAP, call.number);
  if (threads > 1) {
    for (const RefusedCall& call : yielding_calls) filter.rule(SCMP_ACT_ALLOW, call.number);
    return;
  }
  filter.rule(SCMP_ACT_TRAP, SYS_sched_yield);
  constexpr scmp_datum_t operation = FUTEX_CMD_MASK & 0xffffffffU;
  for (const int wait : futex_waits) {
    filter.rule(SCMP_ACT_TRAP, SYS_futex,
                {SCMP_A1(SCMP_CMP_MASKED_EQ, operation, static_cast<scmp_datum_t>(wait))});
  }
  for (const int other : {FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP,
                          FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_WAKE_BITSET}) {
    filter.rule(SCMP_ACT_ALLOW, SYS_futex,
                {SCMP_A1(SCMP_CMP_MASKED_EQ, operation, static_cast<scmp_datum_t>(other))});
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
  filter.rules(SCMP_ACT_ALLOW, waiting_calls);
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
    // SIGABRT: abort() must end with that signal.
    allow_own_signals(filter, {SIGSTOP, SIGABRT});
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
  refuse_waits(filter, threads);
  refuse_clone3(filter);
  allow_memory(filter, threads, range);
  filter.rule(SCMP_ACT_ALLOW, "arch_prctl", {SCMP_A0(SCMP_CMP_EQ, request_dynamic_feature)});
  allow_own_signals(filter, {SIGABRT});
  filter.rule(
      SCMP_ACT_ALLOW, "kill",
      {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())), SCMP_A1(SCMP_CMP_EQ, SIGSTOP)});
  if (threads > 1) allow_threads(filter);
  return filter.load(true);
}

// libseccomp cannot compare the place of a call, so this filter is written by hand.
std::string load_stop_filter(const void* site) {
  const auto place = reinterpret_cast<std::uint64_t>(site);
  const auto low = static_cast<std::uint32_t>(place),
             high = static_cast<std::uint32_t>(place >> 32);
  constexpr unsigned load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr unsigned place_at = offsetof(seccomp_data, instruction_pointer);
  sock_filter code[] = {
      BPF_STMT(load, offsetof(seccomp_data, nr)),
      BPF_JUMP(equal, SYS_kill, 0, 7),
      BPF_STMT(load, offsetof(seccomp_data, args[1])),
      BPF_JUMP(equal, SIGSTOP, 0, 5),
      BPF_STMT(load, place_at),
      BPF_JUMP(equal, low, 0, 2),
      BPF_STMT(load, place_at + 4),
      BPF_JUMP(equal, high, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
    return {};
  return std::string("seccomp filter of stops: ") + std::strerror(errno);
}

}  // namespace ke
