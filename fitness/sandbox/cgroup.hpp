#pragma once
// Control groups as a further wall: memory and tasks of a whole process tree.

#include <cstdint>
#include <string>
#include <vector>

#include "fitness/sandbox/fd.hpp"

namespace ke {

/// What this process may use: folders in which it can make groups that limit memory and tasks.
struct CgroupSupport {
  std::vector<std::string> folders;  ///< one for version 2, one per controller for version 1
  int version = 0;                   ///< 0 = none writable
  std::string note;
};
CgroupSupport find_cgroups();

/// One group of one sandbox; the destructor removes it (its processes must be gone by then).
class Cgroup {
 public:
  Cgroup() = default;
  /// Makes the group; without support, or when the kernel refuses, it is empty and limits nothing.
  Cgroup(const CgroupSupport& support, std::uint64_t memory_bytes, std::uint64_t tasks);
  Cgroup(Cgroup&&) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;
  ~Cgroup() { remove(); }

  /// Descriptors of cgroup.procs: who writes "0" there joins.
  const std::vector<Fd>& procs() const { return procs_; }
  void remove();

 private:
  std::vector<std::string> paths_;
  std::vector<Fd> procs_;
};

}  // namespace ke
