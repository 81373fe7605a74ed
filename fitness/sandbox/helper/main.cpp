// kernelevolve-sandbox REQUEST_FD STATUS_FD LIFELINE_FD: builds the sandbox and starts one process.
//
// There are three processes: this helper (outside, watches the life line), an init at level
// namespaces (pid 1 of the pid namespace, whose end kills the tree), and the process itself.
// CLONE_PARENT makes the last one a child of the helper's own parent, so the judge waits for it
// directly. It is not pid 1, because pid 1 ignores a SIGSTOP that it sends to itself.

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fitness/sandbox/filters.hpp"
#include "fitness/sandbox/helper/setup.hpp"

namespace ke::helper {
namespace {

constexpr int first_parked = 200;  // inherited descriptors move here until they get their targets

pid_t clone_process(unsigned long flags) {
  return static_cast<pid_t>(syscall(SYS_clone, flags, 0, 0, 0, 0));
}

int lift(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, first_parked);
  if (high < 0) fail("descriptor " + std::to_string(fd));
  return high;
}

SandboxSpec read_request(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) fail("request");
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  if (pread(fd, bytes.data(), bytes.size(), 0) != info.st_size) fail("request");
  auto spec = decode<SandboxSpec>(bytes);
  if (!spec || spec->argv.empty()) fail_with("damaged request");
  return *std::move(spec);
}

void place_descriptors(const SandboxSpec& spec) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) fail("/dev/null");
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // descriptors that the caller forgot to mark
  for (const InheritedFd& fd : spec.fds) {
    if (fd.target >= first_parked) fail_with("descriptor targets must be below 200");
    if (dup2(fd.source, fd.target) < 0) fail("placing a descriptor");
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// The complete environment of the process, as NAME=value.
std::vector<std::string> environment_of(const SandboxSpec& spec) {
  const std::string threads = std::to_string(spec.threads);
  std::vector<std::string> environment{"OMP_NUM_THREADS=" + threads, "OMP_THREAD_LIMIT=" + threads,
                                       "OMP_WAIT_POLICY=passive", "LC_ALL=C"};
  if (is_worker(spec.profile)) {
    // Restartable sequences would run code of a candidate whenever the judge continues it.
    environment.emplace_back("GLIBC_TUNABLES=glibc.pthread.rseq=0");
  } else {
    environment.emplace_back("PATH=/usr/bin:/bin");
    environment.push_back("TMPDIR=" + spec.working_dir);
  }
  return environment;
}

// Runs in the process that becomes the untrusted one.
[[noreturn]] void become(SandboxSpec& spec, uid_t uid, bool user_namespace, std::uint64_t others) {
  setsid();
  place_descriptors(spec);
  if (spec.level == SandboxLevel::namespaces) build_root(spec);
  if (chdir(spec.working_dir.c_str()) != 0) fail("working folder " + spec.working_dir);
  // Opened before drop_to: the sandbox's uid may lack access to the folders above the program.
  const int program = open(spec.argv[0].c_str(), O_PATH | O_CLOEXEC);
  if (program < 0) fail(spec.argv[0]);
  if (uid != 0 && !user_namespace) drop_to(uid, spec);
  set_limits(spec, others);
  // After the last change of credentials, which clears it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  if (spec.level != SandboxLevel::rlimits) {
    restrict_files(spec, program);
    const std::string problem = load_start_filter(spec.profile, spec.threads);
    if (!problem.empty()) fail_with(problem);
  }
  std::vector<std::string> environment = environment_of(spec);
  const auto argv = pointers(spec.argv);
  const auto envp = pointers(environment);
  syscall(SYS_execveat, program, "", argv.data(), envp.data(), AT_EMPTY_PATH);
  fail("exec " + spec.argv[0]);
}

// pid 1 of the namespace: reaps orphans until the helper kills it.
[[noreturn]] void be_init() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_range(0, ~0U, 0);
  for (;;) {
    if (waitpid(-1, nullptr, 0) < 0) pause();
  }
}

// Ends every process of `uid`, which only this sandbox uses.
void kill_uid(uid_t uid) {
  const pid_t killer = fork();
  if (killer == 0) {
    if (setresuid(uid, uid, uid) == 0) kill(-1, SIGKILL);
    _exit(0);
  }
  waitpid(killer, nullptr, 0);
}

[[noreturn]] void watch(int lifeline, pid_t init, pid_t process, uid_t uid) {
  pollfd line{lifeline, POLLIN, 0};
  while (poll(&line, 1, -1) < 0 && errno == EINTR) {
  }
  if (init > 0) {
    kill(init, SIGKILL);
    waitpid(init, nullptr, 0);  // returns when the whole namespace has ended
  } else if (uid >= first_own_uid) {
    kill_uid(uid);
  } else {
    kill(-process, SIGKILL);
  }
  _exit(0);
}

void join_cgroup(int fd) {
  if (write(fd, "0", 1) != 1) fail("joining the control group");
}

int run(int request, int status, int lifeline) {
  set_status_fd(status = lift(status));
  lifeline = lift(lifeline);
  SandboxSpec spec = read_request(request);
  for (const int fd : spec.cgroup_procs) join_cgroup(fd);
  for (InheritedFd& fd : spec.fds) fd.source = lift(fd.source);
  close_range(3, first_parked - 1, 0);
  const uid_t uid = geteuid() == 0 ? choose_uid() : 0;
  const bool namespaces = spec.level == SandboxLevel::namespaces;
  const bool user_namespace = namespaces && enter_namespaces();
  std::uint64_t others = 0;
  if (user_namespace)
    others = 2;  // for init and this helper
  else if (uid == 0)
    others = count_own_tasks() + 64;

  pid_t init = -1;
  if (namespaces && (init = clone_process(SIGCHLD)) == 0) be_init();
  if (namespaces && init < 0) fail("clone init");
  const pid_t process = clone_process(CLONE_PARENT | SIGCHLD);
  if (process == 0) become(spec, uid, user_namespace, others);
  if (process < 0) fail("clone");
  report_pid(process);
  close(status);
  for (const InheritedFd& fd : spec.fds) close(fd.source);
  close_range(0, 2, 0);
  watch(lifeline, init, process, user_namespace ? 0 : uid);
}

}  // namespace
}  // namespace ke::helper

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--ok") return 0;  // the probe starts this
  if (argc != 4) return 2;
  return ke::helper::run(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]));
}
