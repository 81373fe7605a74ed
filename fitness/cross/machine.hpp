#pragma once
// Runs calls of a kernel on the chip and reads the results from outside.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fitness/cross/cross_builder.hpp"
#include "fitness/cross/guest_memory.hpp"
#include "fitness/cross/trace.hpp"

namespace ke::cross {

/// The results of calls, up to the first failure.
struct GuestRun {
  std::optional<Finding> finding;
  double margin = 0;                   ///< largest error used / allowed
  std::vector<std::int64_t> counters;  ///< per call, minus the chip's own overhead
  std::vector<std::string> outputs;    ///< per call
  std::vector<Counts> counts;          ///< per call; only in counted runs
};

class Machine {
 public:
  /// Borrows everything but the tools.
  Machine(const Chip& chip, Tools tools, SecretRandom& random)
      : chip_(chip), tools_(std::move(tools)), random_(random) {}

  /// Makes all calls in one start of the runner, or in several where memory is short. Errors: the
  /// runner fails, or its counter contradicts a count.
  Result<GuestRun> check(const CrossBuilt& built, std::span<const GuestCall> calls);
  /// Like check, and counts instructions. The calls must have passed check: no tick limit ends
  /// them, only the time limit.
  Result<GuestRun> count(const CrossBuilt& built, std::span<const GuestCall> calls);

 private:
  Result<GuestRun> run(const CrossBuilt& built, std::span<const GuestCall> calls, bool counted);
  /// One start of the runner: makes as many of the calls as fit, and returns their number.
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
