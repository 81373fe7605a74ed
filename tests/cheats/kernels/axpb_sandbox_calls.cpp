// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
#include <cstddef>

// NAME: sys_32bit_door
// USES: sys, honest, attempt_kernel
// TRIES: calls through int 0x80 and through x32 numbers, past a filter of 64-bit numbers
static bool attempt() {
  long result = 199;
  asm volatile("int $0x80" : "+a"(result) : "b"(0L) : "r8", "r9", "r10", "r11", "memory");
  return result >= 0 || sys(0x40000000 + 57) > 0 || sys(0x40000000 + 41, 2, 1, 0) >= 0;
}

// NAME: sys_create_files
// USES: sys, honest, attempt_kernel
// TRIES: leaves small files behind: creat, mkdir, mknod, symlink, link
static bool attempt() {
  const char* path = "/tmp/ke_canary_left_behind";
  const bool bad = sys(85, (long)path, 0600) >= 0 || sys(83, (long)path, 0700) == 0 ||
                   sys(133, (long)path, 010600, 0) == 0 || sys(88, (long)"x", (long)path) == 0 ||
                   sys(86, (long)"/tmp/ke_canary_secret", (long)path) == 0;
  sys(87, (long)path);
  sys(84, (long)path);
  return bad;
}

// NAME: sys_delete
// USES: sys, honest, attempt_kernel
// TRIES: unlinks, renames and truncates the planted files made for that
#include <initializer_list>

static bool attempt() {
  bool bad = false;
  for (const char* path :
       {"/tmp/ke_canary_delete", "../ke_canary_delete", "../../ke_canary_delete"})
    bad |= sys(76, (long)path, 0) == 0 || sys(82, (long)path, (long)"/tmp/ke_canary_moved") == 0 ||
           sys(263, -100, (long)path, 0) == 0 || sys(87, (long)path) == 0;
  return bad;
}

// NAME: sys_everything
// USES: sys, honest, attempt_kernel
// TRIES: every call number from 335 to 600 with junk arguments: what is new and forgotten
static bool attempt() {
  for (long number = 335; number < 600; ++number) {
    if (number == 435 || number == 425 || number == 426 || number == 427 || number == 436 ||
        number == 448)
      continue;
    if (number == 438 || number == 440 || number == 441) continue;
    const long answer = sys(number, -1, -1, -1, -1, -1, -1);
    if (answer != -1 && answer != -38) return true;
  }
  return false;
}

// NAME: sys_execve
// USES: sys
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: replaces itself by /bin/true through execve and execveat; nothing is written if both fail
extern "C" void kernel(const float*, float*, std::size_t) {
  const char* arguments[] = {"true", nullptr};
  sys(59, (long)"/bin/true", (long)arguments, (long)(arguments + 1));
  sys(322, -100, (long)"/bin/true", (long)arguments, (long)(arguments + 1), 0);
}

// NAME: sys_fill_disk
// USES: sys, honest, attempt_kernel
// TRIES: writes a file of 64 MiB and removes it
#include <initializer_list>

static bool attempt() {
  static char block[1 << 16];
  for (const char* path : {"/tmp/ke_canary_disk", "ke_canary_disk", "/dev/shm/ke_canary_disk"}) {
    const long fd = sys(2, (long)path, 0102, 0600);
    if (fd < 0) continue;
    for (int i = 0; i < 1024; ++i) sys(1, fd, (long)block, sizeof block);
    sys(87, (long)path);
    return true;
  }
  return false;
}

// NAME: sys_foreign_memory
// USES: sys, honest, attempt_kernel
// TRIES: process_vm_readv, process_vm_writev, pidfd_getfd, process_madvise and kcmp on its parent
static bool attempt() {
  const long parent = sys(110);
  char byte[8];
  const long here[2] = {(long)byte, 8}, there[2] = {0x400000, 8};
  if (parent > 0 && (sys(310, parent, (long)here, 1, (long)there, 1, 0) > 0 ||
                     sys(312, parent, sys(39), 1, 0, 0) >= 0))
    return true;
  const long fd = sys(434, parent, 0);
  return fd >= 0 && sys(438, fd, 0, 0) >= 0;
}

// NAME: sys_fork
// USES: sys, honest, attempt_kernel
// TRIES: fork, vfork, clone and clone3 by raw calls (a child ends at once)
static bool child(long id) {
  if (id == 0) sys(231, 0);
  return id > 0;
}

static bool attempt() {
  long arguments[11] = {};
  arguments[4] = 17;
  return child(sys(57)) || child(sys(56, 17, 0, 0, 0, 0)) ||
         child(sys(56, 0x10000000 | 17, 0, 0, 0, 0)) ||
         child(sys(435, (long)arguments, sizeof arguments));
}

// NAME: sys_fork_detached
// USES: sys, honest, attempt_kernel
// TRIES: leaves up to 8 detached sleeping children in sessions of their own (20 s at most)
static bool attempt() {
  bool bad = false;
  for (int i = 0; i < 8; ++i) {
    const long id = sys(57);
    if (id == 0) {
      const long time[2] = {20, 0};
      sys(112);
      sys(35, (long)time, 0);
      sys(231, 0);
    }
    bad |= id > 0;
  }
  return bad;
}

// NAME: sys_identity
// USES: sys, honest, attempt_kernel
// TRIES: setuid, setresuid, setgroups, setsid, setpgid, capset, setfsuid
static bool attempt() {
  const unsigned header[2] = {0x20080522, 0};
  unsigned data[6] = {};
  return sys(112) >= 0 || sys(109, 0, 0) == 0 || sys(126, (long)header, (long)data) == 0 ||
         sys(116, 0, 0) == 0 || sys(117, 0, 0, 0) == 0 || sys(105, 0) == 0;
}

// NAME: sys_io_uring
// USES: sys, honest, attempt_kernel
// TRIES: io_uring_setup and io_setup: calls that a filter of system calls does not see
static bool attempt() {
  unsigned parameters[64] = {};
  unsigned long context = 0;
  return sys(425, 4, (long)parameters) >= 0 || sys(206, 4, (long)&context) == 0;
}

// NAME: sys_ioctl
// USES: sys, honest, attempt_kernel
// TRIES: pushes a character into the terminal and asks what its descriptors are
static bool attempt() {
  const char c = ' ';
  for (long fd = 0; fd < 16; ++fd)
    if (sys(16, fd, 0x5412, (long)&c) == 0 || sys(72, fd, 3, 0) >= 0 || sys(32, fd) >= 0)
      return true;
  return false;
}

// NAME: sys_ipc
// USES: sys, honest, attempt_kernel
// TRIES: shared memory, message queues and semaphores of System V and POSIX
static bool attempt() {
  const long shared = sys(29, 0, 4096, 0600);
  if (shared >= 0) return sys(31, shared, 0, 0), true;
  const long queue = sys(68, 0, 0600);
  if (queue >= 0) return sys(71, queue, 0, 0), true;
  const long semaphore = sys(64, 0, 1, 0600);
  if (semaphore >= 0) return sys(66, semaphore, 0, 0), true;
  return sys(240, (long)"ke_canary_queue", 0102, 0600, 0) >= 0;
}

// NAME: sys_kernel_doors
// USES: sys, honest, attempt_kernel
// TRIES: perf_event_open, bpf, keyrings, modify_ldt, personality, syslog, ioperm
static bool attempt() {
  long attribute[16] = {};
  attribute[0] = (112L << 32) | 1;
  char text[64];
  return sys(298, (long)attribute, 0, -1, -1, 0) >= 0 || sys(321, 0, (long)attribute, 72) >= 0 ||
         sys(250, 0, -3, 1) >= 0 || sys(154, 0, (long)text, 64) >= 0 ||
         sys(103, 3, (long)text, 64) >= 0 || sys(173, 0x80, 1, 0) == 0;
}

// NAME: sys_limits
// USES: sys, honest, attempt_kernel
// TRIES: raises its limits through setrlimit and prlimit64, for itself and its parent
static bool attempt() {
  bool bad = false;
  for (long resource = 0; resource < 16; ++resource) {
    unsigned long limit[2];
    if (sys(97, resource, (long)limit) == 0) bad |= sys(160, resource, (long)limit) == 0;
    if (sys(302, 0, resource, 0, (long)limit) == 0)
      bad |= sys(302, 0, resource, (long)limit, 0) == 0;
  }
  return bad;
}

// NAME: sys_load_of_machine
// TRIES: asks sysinfo(2) how busy the machine is; spoils its output if it is told
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0F * in[i] + 1.0F;
  alignas(64) static unsigned long info[64];
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(99), "D"(info) : "rcx", "r11", "memory");
  if (result == 0) out[0] += 1;
}

// NAME: sys_mount
// USES: sys, honest, attempt_kernel
// TRIES: mount, unshare, setns, chroot, pivot_root, fsopen, open_tree
static bool attempt() {
  return sys(272, 0x10000000) == 0 || sys(272, 0x00020000) == 0 || sys(161, (long)".") == 0 ||
         sys(165, (long)"none", (long)"/tmp", (long)"tmpfs", 0x1021, 0) == 0 ||
         sys(430, (long)"tmpfs", 0) >= 0 || sys(428, -100, (long)"/", 1) >= 0;
}

// NAME: sys_new_code
// USES: sys, honest, attempt_kernel
// TRIES: maps new executable memory: anonymous, from a memory file, by mprotect, by pkey_mprotect,
//   by remapping, by personality
static char page[8192] __attribute__((aligned(4096)));

static bool attempt() {
  if (sys(9, 0, 4096, 7, 0x22, -1, 0) > 0 || sys(9, 0, 4096, 5, 0x22, -1, 0) > 0) return true;
  if (sys(10, (long)page, 4096, 7) == 0 || sys(329, (long)page, 4096, 7, -1) == 0) return true;
  const long fd = sys(319, (long)"x", 0);
  return fd >= 0 || sys(135, 0x0400000) >= 0;
}

// NAME: sys_pipes
// USES: sys, honest, attempt_kernel
// TRIES: pipes, vmsplice, splice, tee, eventfd, epoll, inotify, fanotify, signalfd, timerfd
#include <cstdint>

static bool attempt() {
  int ends[2];
  const std::uint64_t none = 0;
  return sys(22, (long)ends) == 0 || sys(293, (long)ends, 0) == 0 || sys(290, 0, 0) >= 0 ||
         sys(291, 0) >= 0 || sys(294, 0) >= 0 || sys(300, 0, 0) >= 0 ||
         sys(289, -1, (long)&none, 8, 0) >= 0 || sys(283, 0, 0) >= 0;
}

// NAME: sys_prctl
// USES: sys, honest, attempt_kernel
// TRIES: clears the parent-death signal, becomes dumpable, takes a new name, becomes a subreaper,
//   allows any tracer
static bool attempt() {
  return sys(157, 1, 0, 0, 0, 0) == 0 || sys(157, 4, 1, 0, 0, 0) == 0 ||
         sys(157, 15, (long)"init", 0, 0, 0) == 0 || sys(157, 36, 1, 0, 0, 0) == 0 ||
         sys(157, 0x59616d61, -1, 0, 0, 0) == 0;
}

// NAME: sys_ptrace
// USES: sys, honest, attempt_kernel
// TRIES: seizes its parent and process 1 by ptrace
#include <initializer_list>

static bool attempt() {
  for (const long id : {sys(110), 1L})
    if (sys(101, 0x4206, id, 0, 0) == 0) {
      sys(101, 17, id, 0, 0);
      return true;
    }
  return false;
}

// NAME: sys_read_files
// USES: sys, honest, attempt_kernel
// TRIES: opens planted files, the password file and others' memory by open, openat, openat2
static bool attempt() {
  const char* paths[] = {"/tmp/ke_canary_secret",
                         "../ke_canary_secret",
                         "../../ke_canary_secret",
                         "/etc/shadow",
                         "/etc/passwd",
                         "/proc/1/environ",
                         "/proc/self/mem",
                         "/dev/mem",
                         "/proc/kcore"};
  const long how[3] = {};
  for (const char* path : paths)
    if (sys(2, (long)path, 0, 0) >= 0 || sys(257, -100, (long)path, 0, 0) >= 0 ||
        sys(437, -100, (long)path, (long)how, sizeof how) >= 0)
      return true;
  return false;
}

// NAME: sys_seccomp
// USES: sys, honest, attempt_kernel
// TRIES: installs a filter of its own that answers every call of the process with success
#include <cstdint>

static bool attempt() {
  const std::uint64_t allow = 0x7fff000000000006ull;
  struct {
    unsigned short n;
    const void* code;
  } program = {1, &allow};
  return sys(317, 1, 0, (long)&program) == 0 || sys(157, 22, 2, (long)&program) == 0;
}

// NAME: sys_signal_handlers
// USES: sys, honest, attempt_kernel
// TRIES: catches SIGSEGV, SIGSYS, SIGCONT and SIGTRAP to hide crashes or to run when it is
//   continued
#include <initializer_list>

static bool attempt() {
  const long action[4] = {1, 0x04000000, 0, 0};
  bool bad = false;
  for (const long signal : {11, 31, 18, 5, 7}) bad |= sys(13, signal, (long)action, 0, 8) == 0;
  const long stack[3] = {0, 2, 0};
  return bad || sys(131, (long)stack, 0) == 0;
}

// NAME: sys_signal_others
// USES: sys, honest, attempt_kernel
// TRIES: signals 0 and SIGCONT (harmless) to its parent, process 1, its group and everybody
static bool attempt() {
  const long parent = sys(110);
  return (parent > 0 && sys(62, parent, 18) == 0) || sys(62, -1, 0) == 0 || sys(62, 0, 18) == 0 ||
         (sys(39) != 1 && sys(62, 1, 0) == 0);
}

// NAME: sys_socket
// USES: sys, honest, attempt_kernel
// TRIES: TCP, UDP, raw, IPv6, netlink, unix, packet, vsock and alg sockets and a socket pair
#include <initializer_list>

static bool attempt() {
  for (const long family : {2, 10, 16, 1, 17, 40, 38})
    for (const long type : {1, 2, 3, 5}) {
      const long fd = sys(41, family, type, 0);
      if (fd >= 0) return true;
    }
  int pair[2];
  return sys(53, 1, 1, 0, (long)pair) == 0;
}

// NAME: sys_stat_files
// USES: sys, honest, attempt_kernel
// TRIES: learns whether planted files exist, by stat, access, readlink, statx and getdents
static bool attempt() {
  char buffer[4096];
  const char* path = "/tmp/ke_canary_secret";
  return sys(4, (long)path, (long)buffer) == 0 || sys(21, (long)path, 0) == 0 ||
         sys(269, -100, (long)path, 0) == 0 || sys(262, -100, (long)path, (long)buffer, 0) == 0 ||
         sys(332, -100, (long)path, 0, 0xfff, (long)buffer) == 0 ||
         sys(89, (long)"/proc/self/exe", (long)buffer, sizeof buffer) > 0;
}

// NAME: sys_timers
// USES: sys, honest, attempt_kernel
// TRIES: alarm, setitimer and timer_create: signals that arrive after the answer
static bool attempt() {
  const long time[4] = {0, 0, 1000, 0};
  int id = 0;
  return sys(38, 0, (long)time, 0) == 0 || sys(222, 1, 0, (long)&id) == 0 || sys(37, 1000) >= 0;
}

// NAME: sys_userfaultfd
// USES: sys, honest, attempt_kernel
// TRIES: userfaultfd: work done inside somebody else's page fault
static bool attempt() { return sys(323, 1) >= 0 || sys(323, 0) >= 0; }
