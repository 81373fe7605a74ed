#pragma once
// Compiles a kernel of the search to an image for the chip, and reads and prices its code.

#include <memory>
#include <optional>
#include <string>

#include "core/job.hpp"
#include "core/knob_space.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/cross/chip.hpp"
#include "fitness/cross/listing.hpp"
#include "fitness/host/build/flags.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/task.hpp"

namespace ke::cross {

/// The result of building one kernel. Immutable once made.
struct CrossBuilt : BuildOutcome {
  std::string image;
  Listing listing;
};
using CrossBuiltPtr = std::shared_ptr<const CrossBuilt>;

/// Builds kernels of one task for one chip. Thread-safe.
class CrossBuilder {
 public:
  /// Task and chip are borrowed.
  CrossBuilder(const Task& task, const Chip& chip, Tools tools)
      : task_(task), chip_(chip), tools_(std::move(tools)) {}

  /// Bad kernels are values with a verdict; an Error means that the machine failed.
  Result<CrossBuiltPtr> build(const Kernel& kernel);

 private:
  /// The parts of a kernel's command line.
  struct Order {
    std::vector<std::string> flags, defines;
    std::vector<std::string> policy_flags;
  };
  std::optional<Refusal> read_order(const Kernel& kernel, Order& order) const;
  Result<CrossBuilt> make(const Kernel& kernel) const;
  Result<bool> compile(const Order& order, const JobFolder& folder, CrossBuilt& built) const;
  Result<bool> link(const JobFolder& folder, CrossBuilt& built) const;
  Result<void> disassemble(const JobFolder& folder, CrossBuilt& built) const;
  Result<void> read_resources(const JobFolder& folder, CrossBuilt& built) const;
  Result<ToolRun> tool(const Command& command, const JobFolder& folder, const Order& order) const;

  const Task& task_;
  const Chip& chip_;
  Tools tools_;
  KnownBuilds<CrossBuilt> known_;
};

/// The flags that a chip accepts, and the first one that it does not.
FlagCheck check_chip_flags(const std::vector<std::string>& flags, const Chip& chip);

/// The value of a resource in `printed`; nothing when no line has it.
std::optional<double> resource_in(std::string_view printed, const Resource& resource);

}  // namespace ke::cross
