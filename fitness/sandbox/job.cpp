#include "fitness/sandbox/job.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/countdown.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{64} << 20;

// Reads until the other end closes or the time is up; false when there is more than `limit`.
bool drain(int fd, Countdown& time, std::size_t limit, std::string& text) {
  char buffer[16384];
  while (const int wait_ms = time.step()) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, wait_ms) == 0) continue;
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > limit) {
      text.resize(limit);
      return false;
    }
  }
  return true;
}

}  // namespace

Result<JobFolder> JobFolder::create(const std::string& parent) {
  std::string path = parent + "/kernelevolve-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return os_error("cannot make a folder in " + parent);
  return JobFolder(path);
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<void> JobFolder::write(std::string_view name, std::string_view bytes) const {
  const Fd fd(
      open(file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd) return os_error(file(name));
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd.get(), bytes.data(), bytes.size());
    if (put < 0) return os_error(file(name));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<std::string> JobFolder::read(std::string_view name, std::size_t limit) const {
  const Fd fd(open(file(name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0) return os_error(file(name));
  if (!S_ISREG(info.st_mode) || static_cast<std::size_t>(info.st_size) > limit) {
    return Error{Failure::io, file(name) + ": not a file of an acceptable size"};
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  const ssize_t got = pread(fd.get(), bytes.data(), bytes.size(), 0);
  if (got != info.st_size) return os_error(file(name));
  return bytes;
}

Result<ToolRun> run_tool(SandboxSpec spec, std::chrono::nanoseconds wall,
                         std::size_t output_bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os_error("pipe");
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  spec.fds.push_back({writer.get(), 1});
  spec.fds.push_back({writer.get(), 2});
  const auto start = Clock::now();
  KE_TRY(SandboxedProcess process, spawn(spec));
  writer.reset();
  ToolRun run;
  Countdown left(wall);
  run.output_cut = !drain(reader.get(), left, output_bytes, run.output);
  do {
    const std::chrono::milliseconds step(run.output_cut ? 0 : left.step());
    run.exit = process.wait(step);
    if (step.count() == 0) break;
  } while (run.exit.kind == SandboxExit::Kind::running);
  run.wall_ns = std::chrono::nanoseconds(Clock::now() - start).count();
  process.kill_all();
  return run;
}

std::vector<std::string> toolchain_paths() {
  std::vector<std::string> paths;
  for (const char* path : {"/usr/bin", "/usr/include", "/usr/lib", "/usr/lib64", "/usr/libexec",
                           "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"}) {
    if (access(path, R_OK) == 0) paths.emplace_back(path);
  }
  return paths;
}

SandboxSpec Tools::spec(const std::string& folder, SandboxProfile profile) const {
  SandboxSpec spec;
  spec.tools_dir = tools_dir;
  spec.level = level;
  spec.profile = profile;
  spec.read_only = toolchain_paths();
  spec.read_only.insert(spec.read_only.end(), readable.begin(), readable.end());
  spec.writable = {{folder, 0}};
  spec.working_dir = folder;
  return spec;
}

Result<ToolRun> Tools::run(const Command& command, const std::string& folder,
                           SandboxProfile profile, std::chrono::milliseconds limit) const {
  SandboxSpec spec = this->spec(folder, profile);
  spec.argv = command;
  spec.limits.cpu_seconds = static_cast<std::uint64_t>(limit.count() / 1000 + 1);
  spec.limits.file_bytes = std::uint64_t{1} << 30;
  spec.limits.processes = 16;
  return run_tool(spec, limit, most_output);
}

}  // namespace ke
