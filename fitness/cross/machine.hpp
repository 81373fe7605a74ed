#pragma once
// Runs calls of a kernel on the chip and reads the results from outside.
// Counts executed instructions by class, from the log of QEMU (-d in_asm,exec,nochain): in_asm
// lists the addresses of a translated block, exec the block that runs.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/placement.hpp"
#include "fitness/cross/chip.hpp"
#include "fitness/cross/cross_builder.hpp"
#include "fitness/cross/listing.hpp"
#include "fitness/judging/finding.hpp"

namespace ke::cross {

inline constexpr int most_arguments = 8;  ///< as many as fit into the registers of a call
inline constexpr int most_regions = 8;    ///< code, data, and one for each tensor

/// The instructions that one call executed.
struct Counts {
  std::int64_t instructions = 0;
  std::vector<std::int64_t> of_rule;  ///< by index in Chip::costs
  double cost = 0;
  double vector_registers = 0;  ///< total registers that vector instructions worked on
  std::int64_t vector_instructions = 0;
  /// Address of executed code that the listing does not show: a jump into the middle of an
  /// instruction.
  std::optional<std::uint64_t> hidden;
};

/// One Counts per call, in order. `end_of_call`: address of the block that ends a call; not
/// counted. Error: a block that the log does not list.
Result<std::vector<Counts>> read_trace(std::string_view log, const Chip& chip,
                                       const Listing& listing, std::uint64_t end_of_call);

/// One call of the kernel.
struct GuestCall {
  const Workload* workload = nullptr;
  FreshContent content;
  Side side = Side::start;
};

class GuestMemory;
struct MailboxCall;

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
