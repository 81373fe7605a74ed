#pragma once
// Finds the sandbox mechanisms that this machine offers.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// One mechanism, for `doctor`.
struct SandboxMechanism {
  std::string name;
  bool available = false;
  std::string note;  ///< why it is unavailable, or a version
};

/// The result of a probe. `level` is the strongest one that started a process.
struct SandboxReport {
  SandboxLevel level = SandboxLevel::rlimits;
  std::vector<SandboxMechanism> mechanisms;
  std::string warning;  ///< empty at level namespaces

  /// One line per mechanism, after level and warning.
  std::string describe() const;
};

/// Tries the levels from the strongest down by starting a process at each. Error: not even
/// `rlimits` starts (a missing helper). Takes some milliseconds, so probe once and pass the level
/// on.
Result<SandboxReport> probe_sandbox(const std::string& tools_dir);

/// Probes with the level named by `wanted`: auto (the strongest), namespaces, landlock or rlimits.
/// Errors: an unknown name; a level that this machine does not offer.
Result<SandboxReport> probe_sandbox(const std::string& tools_dir, std::string_view wanted);

/// Files that a dynamically linked program needs to start: library folders and the loader's cache.
std::vector<std::string> runtime_paths();

}  // namespace ke
