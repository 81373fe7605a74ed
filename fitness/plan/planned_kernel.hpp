#pragma once
// A kernel with a launch plan, taken apart before anything is compiled.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/codec.hpp"
#include "core/kernel.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What a builder needs of a kernel.
struct PlannedKernel {
  std::vector<std::string> flags;  ///< fixed ones, then the chosen ones; not checked
  std::vector<std::pair<std::string, std::string>> macros;
  LaunchPlan plan;
  std::map<std::string, std::int64_t> knobs;  ///< as plans see them
  std::vector<std::string> policy_flags;
};

/// Why a kernel is rejected without a compiler.
struct Refusal {
  std::string reason;  ///< short code
  std::string message;
};

/// Fills `parts`, or says what is wrong with the text, the declarations, the knobs or the plan.
/// `file_name` stands for a kernel without a name.
std::optional<Refusal> take_apart(const Kernel& kernel, const std::string& file_name,
                                  PlannedKernel& parts);

/// Writes the plan at every workload, with one block a multiprocessor wherever it asks: what is
/// illegal with that is illegal on the device. Error: that, and where it is.
Result<void> encode_plans(const Task& task, const LaunchPlan& plan,
                          const std::map<std::string, std::int64_t>& knobs,
                          const DeviceTerms& device, Encoder& out);

}  // namespace ke
