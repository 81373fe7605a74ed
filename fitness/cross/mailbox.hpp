#pragma once
// What judge and start-up file tell each other in the chip's memory, all words little-endian. The
// start-up file works off the calls in order; in each it lets the kernel reach the regions alone,
// calls it, and ends the machine after the last call or the first trap.

#include <cstdint>

namespace ke::cross {

inline constexpr int most_arguments = 8;  ///< what fits into the registers of a call
inline constexpr int most_regions = 8;    ///< code, data and one for each tensor

/// Bytes that the kernel may reach.
struct MailboxRegion {
  enum Rights : std::uint64_t { read = 1, write = 2, execute = 4 };
  std::uint64_t begin, end, rights;  ///< rights 0: unused
};

struct MailboxCall {
  enum Status : std::uint64_t { waiting = 0, returned = 1, trapped = 2 };
  std::uint64_t arguments[most_arguments];
  MailboxRegion regions[most_regions];
  std::uint64_t status, cause, pc, address;  ///< written by the start-up file
  std::uint64_t count;                       ///< its counter after the call less that before it
  std::uint64_t unused[3];
};
static_assert(sizeof(MailboxCall) == 320);

struct MailboxHead {
  std::uint64_t calls;
  std::uint64_t limit;  ///< ticks for each call, 0 = none
  std::uint64_t unused[6];
};
static_assert(sizeof(MailboxHead) == 64);  // the calls follow

}  // namespace ke::cross
