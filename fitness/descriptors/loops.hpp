#pragma once
// Functions and loops of a disassembly.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/descriptors/instruction.hpp"

namespace ke {

/// One function; instructions in address order, alignment padding at its end removed.
struct Function {
  std::uint64_t start = 0;
  std::string name;  ///< only the name `kernel` matters
  std::vector<Instruction> code;

  std::uint64_t bytes() const;
};

/// All functions of objdump's text; `end` is the first address after the last one.
std::vector<Function> parse_functions(std::string_view text, std::uint64_t end);

/// Indices of the functions that control can reach from `kernel`, through calls, jumps and
/// addresses taken; `extra` are addresses in data. Empty when there is no `kernel`.
std::vector<std::size_t> reachable(const std::vector<Function>& functions,
                                   std::span<const std::uint64_t> extra);

/// A natural loop: the instructions that can reach a jump back to `header`, which dominates them.
struct Loop {
  std::size_t header = 0;
  std::vector<std::size_t> body;  ///< indices of instructions in address order, with the header
  int depth = 0;                  ///< number of enclosing loops
  bool innermost = true;
};

/// The loops of one function by header address. O(instructions x backward jumps); none when that
/// product exceeds 2e7.
std::vector<Loop> find_loops(const Function& function);

}  // namespace ke
