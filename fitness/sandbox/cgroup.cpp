#include "fitness/sandbox/cgroup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <utility>

namespace ke {
namespace {

constexpr const char* cgroup_mount = "/sys/fs/cgroup";

bool is_writable(const std::string& folder) { return access(folder.c_str(), W_OK) == 0; }

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Path of this process in the hierarchy whose line has `controllers` between its colons.
std::string own_path(std::string_view controllers) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t from = line.find(':') + 1;
    const std::size_t to = line.find(':', from);
    if (to != std::string::npos && line.substr(from, to - from) == controllers) {
      return line.substr(to + 1);
    }
  }
  return {};
}

bool write_text(const std::string& path, const std::string& text) {
  const Fd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string next_name() {
  static std::atomic<unsigned> count{0};  // names must differ only within this process
  return "kernelevolve-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

}  // namespace

CgroupSupport find_cgroups() {
  CgroupSupport support;
  const std::string v2 = cgroup_mount + own_path("");
  const std::string delegated = first_line(v2 + "/cgroup.subtree_control");
  if (delegated.find("memory") != std::string::npos &&
      delegated.find("pids") != std::string::npos && is_writable(v2)) {
    return {{v2}, 2, "version 2"};
  }
  for (const char* controller : {"memory", "pids"}) {
    const std::string path = own_path(controller);
    const std::string folder = std::string(cgroup_mount) + "/" + controller + path;
    if (!path.empty() && is_writable(folder)) support.folders.push_back(folder);
  }
  if (support.folders.size() == 2) {
    support.version = 1;
    support.note = "version 1";
  } else {
    support = {{}, 0, "memory and pids are not delegated to this process"};
  }
  return support;
}

Cgroup::Cgroup(const CgroupSupport& support, std::uint64_t memory_bytes, std::uint64_t tasks) {
  const std::string name = next_name();
  for (const std::string& folder : support.folders) {
    const std::string path = folder + "/" + name;
    if (mkdir(path.c_str(), 0755) != 0) break;
    paths_.push_back(path);
    // Each folder accepts the limits that it knows; writing the others fails without effect.
    write_text(path + (support.version == 2 ? "/memory.max" : "/memory.limit_in_bytes"),
               std::to_string(memory_bytes));
    write_text(path + "/pids.max", std::to_string(tasks));
    procs_.emplace_back(open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!procs_.back()) break;
  }
  const bool complete =
      procs_.size() == support.folders.size() && (procs_.empty() || procs_.back());
  if (!complete) remove();
}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    remove();
    paths_ = std::exchange(other.paths_, {});
    procs_ = std::exchange(other.procs_, {});
  }
  return *this;
}

void Cgroup::remove() {
  procs_.clear();
  for (const std::string& path : paths_) {
    // A killed process leaves its group a moment after it was reaped.
    for (int attempt = 0; attempt < 100 && rmdir(path.c_str()) != 0; ++attempt) usleep(200);
  }
  paths_.clear();
}

}  // namespace ke
