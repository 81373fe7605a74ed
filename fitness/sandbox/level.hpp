#pragma once
// Which walls this machine offers.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// One mechanism for `doctor`.
struct SandboxMechanism {
  std::string name;
  bool available = false;
  std::string note;  ///< why not, or a version
};

/// What a probe found. `level` is the strongest one that really started a process.
struct SandboxReport {
  SandboxLevel level = SandboxLevel::rlimits;
  std::vector<SandboxMechanism> mechanisms;
  std::string warning;  ///< empty at level namespaces

  /// One line a mechanism, level and warning first.
  std::string describe() const;
};

/// Tries the levels from the strongest down by starting a process at each. An Error when not even
/// `rlimits` starts (a missing helper). Probe once and pass the level on; costs some milliseconds.
Result<SandboxReport> probe_sandbox(const std::string& tools_dir);

/// The same with the level that `wanted` names: auto (the strongest), namespaces, landlock or
/// rlimits. Errors: a word that is none of these; a level that this machine does not offer.
Result<SandboxReport> probe_sandbox(const std::string& tools_dir, std::string_view wanted);

/// The files a dynamically linked program needs to start: library folders and the loader's cache.
std::vector<std::string> runtime_paths();

}  // namespace ke
