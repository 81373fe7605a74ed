#pragma once
// Steps that `optimise` has finished in its folder, so that the same command goes on after a kill.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

struct OptimiseState {
  // Fixed by the first call.
  std::string file;     ///< path of the module or model
  std::string content;  ///< SHA-256 of the file, in hex
  std::string device;   ///< cpu | cuda
  bool model = false;   ///< a whole model, taken apart by `needs`
  std::vector<std::string> overrides;
  // Finished steps.
  std::vector<std::string> tasks;              ///< names, in their order
  std::map<std::string, std::string> refused;  ///< task -> why there is no library of it
  std::set<std::string> done;                  ///< steps, such as "dispatch gated_norm"
  std::map<std::string, double> seconds;       ///< by kind of step
  std::vector<std::string> calls;              ///< of the package's operators

  /// Nothing is stored in the folder yet: the state stays as it is. Error: the folder was begun
  /// with another file, device or settings, which the message names.
  Result<void> load(const std::string& folder);
  /// Durable on return.
  Result<void> save(const std::string& folder) const;
};

}  // namespace ke
