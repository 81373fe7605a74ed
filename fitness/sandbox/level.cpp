#include "fitness/sandbox/level.hpp"

#include <errno.h>
#include <fmt/core.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "fitness/sandbox/cgroup.hpp"
#include "fitness/sandbox/process.hpp"

namespace ke {
namespace {

using namespace std::chrono_literals;

// The helper without a task is the smallest program that certainly exists.
Result<void> try_level(const std::string& tools_dir, SandboxLevel level) {
  SandboxSpec spec;
  spec.tools_dir = tools_dir;
  spec.argv = {tools_dir + "/kernelevolve-sandbox", "--ok"};
  spec.read_only = {spec.argv[0]};
  spec.level = level;
  KE_TRY(const SandboxedProcess process, spawn(spec));
  const SandboxExit exit = process.wait(5s);
  if (exit.succeeded()) return {};
  return Error{Failure::io, fmt::format("the test process ended with {}", exit.code)};
}

SandboxMechanism landlock() {
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (abi < 1) return {"landlock", false, std::strerror(errno)};
  return {"landlock", true, fmt::format("ABI {}", abi)};
}

SandboxMechanism seccomp() {
  const unsigned action = SECCOMP_RET_KILL_PROCESS;
  const bool known = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  return {"seccomp", known, known ? "" : std::strerror(errno)};
}

SandboxMechanism cgroups() {
  const CgroupSupport support = find_cgroups();
  return {"cgroups", support.version != 0, support.note};
}

SandboxMechanism own_uid() {
  const bool root = geteuid() == 0;
  return {"own uid", root, root ? "" : "only root can give one"};
}

std::string warning_of(SandboxLevel level) {
  switch (level) {
    case SandboxLevel::namespaces: return {};
    case SandboxLevel::landlock:
      return "without namespaces: other processes stay visible, memory of a process tree is "
             "limited per process only";
    case SandboxLevel::rlimits:
      return "resource limits only: a candidate can read files, start processes and use the "
             "network; judge only kernels that you trust";
  }
  return {};
}

}  // namespace

std::string SandboxReport::describe() const {
  std::string text = fmt::format("sandbox level: {}\n", name(level));
  if (!warning.empty()) text += "warning: " + warning + "\n";
  for (const SandboxMechanism& mechanism : mechanisms) {
    text += fmt::format("  {:<16} {:<3} {}\n", mechanism.name, mechanism.available ? "yes" : "no",
                        mechanism.note);
  }
  return text;
}

Result<SandboxReport> probe_sandbox(const std::string& tools_dir) {
  SandboxReport report;
  std::string last;
  bool found = false;
  for (const SandboxLevel level :
       {SandboxLevel::namespaces, SandboxLevel::landlock, SandboxLevel::rlimits}) {
    const Result<void> tried = try_level(tools_dir, level);
    if (!tried) last = tried.error().message;
    report.mechanisms.push_back(
        {"level " + std::string(name(level)), bool(tried), tried ? "" : last});
    if (tried && !found) report.level = level;
    found = found || tried;
  }
  if (!found) return Error{Failure::io, last};
  for (auto probe : {landlock, seccomp, cgroups, own_uid}) report.mechanisms.push_back(probe());
  report.warning = warning_of(report.level);
  return report;
}

Result<SandboxReport> probe_sandbox(const std::string& tools_dir, std::string_view wanted) {
  KE_TRY(SandboxReport report, probe_sandbox(tools_dir));
  if (wanted == "auto") return report;
  for (const SandboxLevel level :
       {SandboxLevel::namespaces, SandboxLevel::landlock, SandboxLevel::rlimits}) {
    if (name(level) != wanted) continue;
    const std::string entry = "level " + std::string(wanted);
    for (const SandboxMechanism& mechanism : report.mechanisms) {
      if (mechanism.name == entry && !mechanism.available) {
        return Error{Failure::device, fmt::format("this machine has no sandbox level {}: {}",
                                                  wanted, mechanism.note)};
      }
    }
    report.level = level;
    report.warning = warning_of(level);
    return report;
  }
  return Error{Failure::usage, fmt::format("sandbox = {} is not one of auto | namespaces | "
                                           "landlock | rlimits",
                                           wanted)};
}

std::vector<std::string> runtime_paths() {
  std::vector<std::string> paths;
  // Some libraries are symbolic links into /etc/alternatives, which holds nothing else.
  for (const char* path :
       {"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"}) {
    if (access(path, R_OK) == 0) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace ke
