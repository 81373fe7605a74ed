#include "experiments/run/child_program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/spawn.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

/// A file in memory, open at its beginning.
Fd file_with(const std::string& text) {
  Fd file(memfd_create("input", MFD_CLOEXEC));
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = write(file.get(), text.data() + at, text.size() - at);
    if (count < 0) break;
    at += static_cast<std::size_t>(count);
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

ProgramAnswer run_program(const std::vector<std::string>& command, const std::string& input) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const Fd from(ends[0]);
  Fd into(ends[1]);
  const Fd given = file_with(input);
  int process = -1;
  if (spawn_bound(command, given.get(), into.get(), process) != 0) return {no_such_program, ""};
  into = Fd();  // closes our end of the pipe, or reading would never finish
  ProgramAnswer answer;
  answer.output = read_all(from.get());
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
  return answer;
}

Result<ProgramAnswer> run_script(std::string_view verb, const std::string& script,
                                 const std::vector<std::string>& arguments,
                                 std::initializer_list<int> accepted) {
  // -B: write no bytecode next to the script
  std::vector<std::string> command = {"python3", "-B", script};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProgramAnswer answer = run_program(command);
  if (std::ranges::find(accepted, answer.code) != accepted.end()) return answer;
  return Error{Failure::usage,
               answer.code == no_such_program
                   ? fmt::format("{}: there is no python3 in PATH", verb)
                   : fmt::format("{}: {} ended with {}", verb, script, answer.code)};
}

}  // namespace ke
