#include "core/spawn.hpp"

#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace ke {
namespace {

std::vector<char*> words_of(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

}  // namespace

int spawn_group(const std::vector<std::string>& command, int input, int output, int& process) {
  const std::vector<char*> arguments = words_of(command);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t started = -1;
  const int failed =
      posix_spawnp(&started, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) process = started;
  return failed;
}

int spawn_bound(const std::vector<std::string>& command, int input, int output, int& process) {
  constexpr int no_such_program = 127;
  const std::vector<char*> arguments = words_of(command);
  const pid_t parent = getpid(), started = fork();
  if (started < 0) return errno;
  if (started > 0) {
    process = started;
    return 0;
  }
  // Only calls that are safe after a fork of a process with threads.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0) {
    execvp(arguments[0], arguments.data());
  }
  _exit(no_such_program);
}

}  // namespace ke
