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
  std::string name;  ///< only `kernel` matters
  std::vector<Instruction> code;

  std::uint64_t bytes() const;
};

/// All functions of objdump's text.
std::vector<Function> parse_functions(std::string_view text);

/// Indices of the functions that control can reach from `kernel`: by calls, jumps and addresses
/// taken; `extra` are addresses that data refer to. Empty when there is no `kernel`.
std::vector<std::size_t> reachable(const std::vector<Function>& functions,
                                   std::span<const std::uint64_t> extra);

/// A run of instructions [first, last] of a function that a backward jump repeats.
struct Loop {
  std::size_t function = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  int depth = 0;  ///< loops around it
  bool innermost = true;
};

/// The loops of one function, by address.
std::vector<Loop> find_loops(const Function& function, std::size_t index);

}  // namespace ke
