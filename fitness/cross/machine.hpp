#pragma once
// Runs calls of a kernel on the chip and reads from outside what came of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fitness/cross/cross_builder.hpp"
#include "fitness/cross/guest_memory.hpp"
#include "fitness/cross/trace.hpp"

namespace ke::cross {

/// What calls gave, up to the first one that went wrong.
struct GuestRun {
  std::optional<Finding> finding;
  double margin = 0;                   ///< largest error used / allowed
  std::vector<std::int64_t> counters;  ///< of each call, less the chip's own part
  std::vector<std::string> outputs;    ///< of each call
  std::vector<Counts> counts;          ///< of each call; counted runs alone
};

class Machine {
 public:
  /// Borrowed, but for the tools.
  Machine(const Chip& chip, Tools tools, SecretRandom& random)
      : chip_(chip), tools_(std::move(tools)), random_(random) {}

  /// All calls in one start of the runner, or in several where memory is short. Errors are the
  /// machine's: a runner that fails, a count that its counter contradicts.
  Result<GuestRun> check(const CrossBuilt& built, std::span<const GuestCall> calls);
  /// The same with instructions counted; calls must have been checked, no limit ends them but time.
  Result<GuestRun> count(const CrossBuilt& built, std::span<const GuestCall> calls);

 private:
  Result<GuestRun> run(const CrossBuilt& built, std::span<const GuestCall> calls, bool counted);
  /// One start of the runner: as many of the calls as there is room for, and their number.
  Result<std::size_t> start(const CrossBuilt& built, std::span<const GuestCall> calls, bool counted,
                            GuestRun& all);
  Result<ToolRun> run_chip(const JobFolder& folder, bool counted) const;
  Result<std::optional<Finding>> judge(const GuestMemory& memory, std::size_t i, const ToolRun& ran,
                                       const CrossBuilt& built, double& margin) const;
  Finding trap(const MailboxCall& call, const Listing& listing) const;
  Result<void> read_counts(const JobFolder& folder, const CrossBuilt& built, std::size_t calls,
                           GuestRun& all) const;

  const Chip& chip_;
  Tools tools_;
  SecretRandom& random_;
};

}  // namespace ke::cross
