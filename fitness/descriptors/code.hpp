#pragma once
// Functions and loops of a library, from objdump's text.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/descriptors/instruction.hpp"

namespace ke {

using Code = std::vector<Instruction>;

/// A loop of the source, as far as its code shows: the instructions that lead from `header` back to
/// it. Loops with several entries count, versions of one loop that take turns are one.
struct Loop {
  std::size_t header = 0;
  std::vector<std::size_t> body;  ///< indices of instructions in address order, with the header
  int depth = 0;                  ///< number of enclosing loops of the function
  bool innermost = true;
};

/// One function; instructions in address order, alignment padding at its end removed.
struct Function {
  std::uint64_t start = 0;
  std::string name;  ///< only the name of the entry matters
  Code code;
  std::vector<Loop> loops;  ///< by header; see reached_functions
  int around = 0;           ///< loops around its call, in all callers together

  std::uint64_t bytes() const {
    return code.empty() ? 0 : code.back().address + code.back().bytes - start;
  }
  /// Number of loops of this function around an instruction.
  int loops_at(std::size_t index) const;
  /// The instructions of a part that `depth` loops of this function hold.
  std::vector<std::size_t> own(const std::vector<std::size_t>& part, int depth) const;
  /// How often each instruction of a part runs, relative to the `first` one to run, if forward
  /// branches go either way equally often and no branch leaves the part.
  std::vector<double> frequencies(const std::vector<std::size_t>& part, std::size_t first) const;
  /// Index of the instruction that a direct jump goes to; code.size() for other instructions and
  /// for jumps out of the function.
  std::size_t jump_index(std::size_t index) const;
};

/// All functions of objdump's text, without loops; `end` is the first address after the last one.
std::vector<Function> parse_functions(std::string_view text, std::uint64_t end);

/// The functions that control can reach from `entry` through calls, jumps and addresses taken, with
/// their loops, in address order; `pointers` are addresses in data. Empty when there is no `entry`.
/// A function in which the search for loops would take more than 2e9 steps, O(instructions x loops
/// squared), gets none. Of functions that call each other, loops around the
/// calls count again and again, up to 16.
std::vector<Function> reached_functions(const std::vector<Function>& all, std::string_view entry,
                                        std::span<const std::uint64_t> pointers);

}  // namespace ke
