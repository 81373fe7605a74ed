#pragma once
// Counts executed instructions by class, from the log of QEMU (-d in_asm,exec,nochain): in_asm
// lists the addresses of a translated block, exec the block that runs.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/cross/listing.hpp"

namespace ke::cross {

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

}  // namespace ke::cross
