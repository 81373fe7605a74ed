#pragma once
// Executed instructions by class, from the log of QEMU (-d in_asm,exec,nochain): in_asm says which
// addresses a translated block holds, exec which block runs.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/cross/listing.hpp"

namespace ke::cross {

/// What one call executed.
struct Counts {
  std::int64_t instructions = 0;
  std::vector<std::int64_t> of_rule;  ///< by index of Chip::costs
  double cost = 0;
  double vector_registers = 0;  ///< sum over vector instructions of the registers that they work on
  std::int64_t vector_instructions = 0;
  /// Address where it executed what the listing does not show: a jump into the middle of an
  /// instruction.
  std::optional<std::uint64_t> hidden;
};

/// One Counts a call, in order. `end_of_call`: address of the block that ends a call; it is not
/// counted. Error: a block that the log does not show.
Result<std::vector<Counts>> read_trace(std::string_view log, const Chip& chip,
                                       const Listing& listing, std::uint64_t end_of_call);

}  // namespace ke::cross
