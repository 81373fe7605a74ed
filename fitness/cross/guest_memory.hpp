#pragma once
// The chip's memory as a file shared with the runner: calls go in before the runner starts, outputs
// and counters are read after it has ended.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/content.hpp"
#include "fitness/content/placement.hpp"
#include "fitness/cross/chip.hpp"
#include "fitness/cross/mailbox.hpp"
#include "fitness/judging/finding.hpp"

namespace ke::cross {

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

}  // namespace ke::cross
