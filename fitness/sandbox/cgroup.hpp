#pragma once
// Control groups as an additional limit: memory and tasks of a whole process tree.

#include <cstdint>
#include <string>
#include <vector>

#include "fitness/sandbox/fd.hpp"

namespace ke {

/// The folders in which this process can make groups that limit memory and tasks.
struct CgroupSupport {
  std::vector<std::string> folders;  ///< one for version 2, one per controller for version 1
  int version = 0;                   ///< 0 = none writable
  std::string note;
};
CgroupSupport find_cgroups();

/// The group of one sandbox. The destructor removes it; its processes must have ended by then.
class Cgroup {
 public:
  Cgroup() = default;
  /// Makes the group. Without support, or if the kernel refuses, the object is empty and limits
  /// nothing.
  Cgroup(const CgroupSupport& support, std::uint64_t memory_bytes, std::uint64_t tasks);
  Cgroup(Cgroup&&) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;
  ~Cgroup() { remove(); }

  /// Descriptors of cgroup.procs: a process that writes "0" there joins.
  const std::vector<Fd>& procs() const { return procs_; }
  void remove();

 private:
  std::vector<std::string> paths_;
  std::vector<Fd> procs_;
};

}  // namespace ke
