// A hostile program for the sandbox tests: sandbox_probe ATTACK [LEVEL]. Exit status 0 = the attack
// was refused, 1 = it succeeded. Attacks that start with "locked-" run after lock_worker.

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "fitness/sandbox/filters.hpp"

namespace {

bool opens(const char* path) { return open(path, O_RDONLY) >= 0; }

bool starts_thread() {
  pthread_t thread;
  const auto body = [](void*) -> void* { return nullptr; };
  return pthread_create(&thread, nullptr, body, nullptr) == 0;
}

bool forks() {
  const pid_t child = fork();
  if (child == 0) {
    setsid();  // attempts to leave the process group
    sleep(30);
    _exit(0);
  }
  return child > 0;
}

bool reads_parent_memory() {
  char byte;
  iovec here{&byte, 1}, there{&byte, 1};
  return process_vm_readv(getppid(), &here, 1, &there, 1, 0) > 0;
}

bool hogs_memory() {
  std::size_t got = 0;
  for (; got < (std::size_t{2} << 30); got += 16 << 20) {
    void* block =
        mmap(nullptr, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return false;
    std::memset(block, 1, 16 << 20);
  }
  return true;
}

int bomb_threads() {
  int started = 0;
  pthread_t thread;
  const auto body = [](void*) -> void* {
    sleep(60);
    return nullptr;
  };
  while (started < 500 && pthread_create(&thread, nullptr, body, nullptr) == 0) ++started;
  return started;
}

bool installs_handler() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  return sigaction(SIGSEGV, &action, nullptr) == 0;
}

bool executable_memory() {
  return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
         MAP_FAILED;
}

// Memory that a locked worker must not touch: one open page with guards on both sides.
ke::ProtectedRange range;

bool guard_opens(const std::string& how) {
  char* guard = reinterpret_cast<char*>(range.begin);
  const std::size_t page = 4096;
  const int access = PROT_READ | PROT_WRITE;
  const int apart = MAP_PRIVATE | MAP_ANONYMOUS;
  if (how == "mprotect") return mprotect(guard, page, access) == 0;
  if (how == "mmap") return mmap(guard, page, access, apart | MAP_FIXED, -1, 0) != MAP_FAILED;
  if (how == "munmap") return munmap(guard, page) == 0;
  if (how == "munmap-last") return munmap(guard + 2 * page, page) == 0;
  if (how == "munmap-from-below") return munmap(guard - page, 2 * page) == 0;
  if (how == "munmap-from-afar") {
    return munmap(reinterpret_cast<void*>(1 << 20), range.end - (1 << 20)) == 0;
  }
  if (how == "madvise") return madvise(guard + page, page, MADV_DONTNEED) == 0;
  if (how == "mremap-away") return mremap(guard, page, 2 * page, MREMAP_MAYMOVE) != MAP_FAILED;
  if (how == "mremap-onto") {
    void* own = mmap(nullptr, page, access, apart, -1, 0);
    return mremap(own, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, guard) == guard;
  }
  std::fprintf(stderr, "no way %s\n", how.c_str());
  std::exit(99);
}

// Uses blocks below and above the size at which malloc maps; growing ones move.
bool heap_fails() {
  std::vector<std::vector<char>> kept;
  for (std::size_t size = 16; size < (64U << 20); size *= 4) kept.emplace_back(size, 'x');
  void* block = std::malloc(1 << 20);
  if (block != nullptr) block = std::realloc(block, 32 << 20);
  std::free(block);
  return block == nullptr;
}

// Arenas of threads reserve, trim and open memory by mprotect and munmap.
bool heap_of_thread_fails() {
  bool failed = true;
  std::thread([&] { failed = heap_fails(); }).join();
  return failed;
}

bool raises_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

bool pins_itself() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Starts a program as a shell would; true if it ran.
bool execs() {
  execl("/usr/bin/true", "true", nullptr);
  return errno != EPERM && errno != EACCES && errno != ENOENT;
}

bool waits(const std::string& how) {
  const timespec shortly{0, 1000};
  if (how == "nanosleep") return nanosleep(&shortly, nullptr) == 0;
  if (how == "poll") return poll(nullptr, 0, 1) == 0;
  if (how == "sched-yield") return sched_yield() == 0;
  int word = 0;
  return syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &shortly) == 0 ||
         errno == ETIMEDOUT;
}

bool attack(const std::string& name) {
  for (const char* wait : {"nanosleep", "poll", "sched-yield", "futex-wait"}) {
    if (name == wait) return waits(name);
  }
  if (name == "fork") return forks();
  if (name == "socket") return socket(AF_INET, SOCK_STREAM, 0) >= 0;
  if (name == "unix-socket") return socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
  if (name == "shadow") return opens("/etc/shadow");
  if (name == "passwd") return opens("/etc/passwd");
  if (name == "list-root") return opens("/root") || opens("/home");
  if (name == "ptrace") return ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0;
  if (name == "vm-read") return reads_parent_memory();
  if (name == "kill-parent") return kill(getppid(), 0) == 0;
  if (name == "kill-all") return kill(-1, 0) == 0;
  if (name == "exec") return execs();
  if (name == "write") return open("/tmp/ke_probe_written", O_CREAT | O_WRONLY, 0600) >= 0;
  if (name == "hog") return hogs_memory();
  if (name == "thread") return starts_thread();
  if (name == "sigsegv-handler") return installs_handler();
  if (name == "executable-memory") return executable_memory();
  if (name == "raise-limit") return raises_limit();
  if (name == "affinity") return pins_itself();
  if (name == "userns") return unshare(CLONE_NEWUSER) == 0;
  if (name.starts_with("guard-")) return guard_opens(name.substr(6));
  if (name == "heap") return heap_fails();
  if (name == "heap-of-thread") return heap_of_thread_fails();
  std::fprintf(stderr, "no attack %s\n", name.c_str());
  std::exit(99);
}

int stop_and_go(const std::string& how) {
  for (int round = 0; round < 3; ++round) {
    if (how == "kill")
      kill(getpid(), SIGSTOP);
    else
      raise(SIGSTOP);
  }
  return 7;
}

// Reports facts about itself for the tests, instead of an attack.
int inspect(const std::string& what) {
  int signal = 0;
  if (what == "pdeathsig") return prctl(PR_GET_PDEATHSIG, &signal) == 0 ? signal : 99;
  if (what == "no-new-privs") return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  if (what == "descriptors") {
    int count = 0;
    for (int fd = 3; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0;
    return count;
  }
  if (what == "environment") {
    int count = 0;
    for (char** entry = environ; *entry != nullptr; ++entry) ++count;
    return count;
  }
  return 99;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = argc > 1 ? argv[1] : "";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (name.starts_with("locked-")) {
    name = name.substr(7);
    range = ke::reserve_apart(3 * 4096);
    void* open = reinterpret_cast<void*>(range.begin + 4096);
    if (range.end == 0 || mprotect(open, 4096, PROT_READ | PROT_WRITE) != 0) return 97;
    if (!ke::load_locked_filter(threads, range).empty()) return 98;
  }
  if (name == "ok") return 0;
  if (name == "stop-kill" || name == "stop-raise") return stop_and_go(name.substr(5));
  if (name == "bomb") return std::min(bomb_threads(), 250);
  if (name == "spin")
    for (;;) getpid();
  if (name == "abort") std::abort();
  if (name == "sleep-tree") {
    forks();
    forks();
    sleep(60);
  }
  if (name == "echo") return write(5, "hello", 5) == 5 ? 0 : 1;
  if (name.starts_with("inspect-")) return inspect(name.substr(8));
  return attack(name) ? 1 : 0;
}
