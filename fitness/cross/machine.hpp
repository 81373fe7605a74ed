#pragma once
// Runs calls of a kernel on the chip and reads the results from outside.
// Messages between judge and start-up file in the chip's memory, all words little-endian. The
// start-up file makes the calls in order. For each, it opens only the given regions to the kernel
// and calls it. It ends the machine after the last call or the first trap.
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

/// A region that the kernel may access.
struct MailboxRegion {
  enum Rights : std::uint64_t { read = 1, write = 2, execute = 4 };
  std::uint64_t begin, end, rights;  ///< rights 0: unused
};

struct MailboxCall {
  enum Status : std::uint64_t { waiting = 0, returned = 1, trapped = 2 };
  std::uint64_t arguments[most_arguments];
  MailboxRegion regions[most_regions];
  std::uint64_t status, cause, pc, address;  ///< written by the start-up file
  std::uint64_t count;                       ///< counter after the call minus counter before it
  std::uint64_t unused[3];
};
static_assert(sizeof(MailboxCall) == 320);

struct MailboxHead {
  std::uint64_t calls;
  std::uint64_t limit;  ///< ticks per call, 0 = none
  std::uint64_t unused[6];
};
static_assert(sizeof(MailboxHead) == 64);  // the calls follow

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

class GuestMemory {
 public:
  /// Makes an empty file that the runner's user may read and write.
  static Result<GuestMemory> create(const std::string& path, const Chip& chip);
  GuestMemory(GuestMemory&& other) noexcept;
  GuestMemory& operator=(GuestMemory&&) = delete;
  ~GuestMemory();

  /// Places as many of `calls` as fit and returns their number, 0 when even the first does not fit.
  /// Poisons outputs. `limit`: ticks per call, 0 = none.
  std::size_t place(std::span<const GuestCall> calls, std::uint64_t limit, SecretRandom& random);

  /// The results that the start-up file wrote for call `i`.
  const MailboxCall& call(std::size_t i) const;
  /// Checks inputs, outputs, and the bytes beside them after a call that returned.
  std::optional<Finding> judge(std::size_t i, double& margin) const;
  /// All output bytes of a call.
  std::string outputs(std::size_t i) const;

 private:
  struct Seat {
    GuestCall call;
    std::unique_ptr<Placement> placement;  // a pointer, because canaries refer to it
    std::int64_t inputs = 0, outputs = 0;  ///< addresses of the regions
    std::vector<Canaries> canaries;        ///< for inputs, for outputs
  };
  GuestMemory(std::byte* memory, const Chip& chip) : memory_(memory), chip_(&chip) {}
  std::byte* at(std::int64_t address) const { return memory_ + (address - chip_->memory.base); }
  MailboxCall* mailbox_call(std::size_t i) const;
  void fill(const Seat& seat, MailboxCall& record, SecretRandom& random) const;
  std::vector<std::byte*> input_pointers(const Seat& seat) const;
  std::vector<std::byte*> output_pointers(const Seat& seat) const;

  std::byte* memory_ = nullptr;
  const Chip* chip_ = nullptr;
  std::vector<Seat> seats_;
};

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
