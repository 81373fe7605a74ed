#pragma once
// Messages between judge and start-up file in the chip's memory, all words little-endian. The
// start-up file makes the calls in order. For each, it opens only the given regions to the kernel
// and calls it. It ends the machine after the last call or the first trap.

#include <cstdint>

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

}  // namespace ke::cross
