#pragma once
// Measures of a kernel from its machine code: axes for archives, and the hot loop for people.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke {

/// A category of an axis, and the value by which measures record it.
struct DescriptorKind {
  std::string_view label;
  double value = 0;
};

/// One axis for a config to use. `edges` are the default borders between bins: n edges make n + 1
/// bins. They are fixed, never fitted to results. An axis of `kinds` has none.
struct DescriptorAxis {
  std::string_view name;
  std::string_view unit;
  std::string_view doc;
  std::span<const double> edges = {};
  std::span<const DescriptorKind> kinds = {};  ///< by ascending value
};

/// All axes.
std::span<const DescriptorAxis> descriptor_axes();

/// The measures of one binary. None depends on comments, names or code unreachable from `kernel`.
struct Descriptors {
  std::map<std::string, double> measures;  ///< by axis
  bool allocates = false;                  ///< calls malloc, operator new or the like
  std::vector<std::string> hot_loop;       ///< at most 40 lines, jump targets relative to its start
};

/// Disassembles a linked kernel (Compiler::link) in the sandbox and measures it. The hot loop is
/// the one with the most work of its own, without loops within: (flops + memory bytes / 4 +
/// instructions / 100) x 4^min(depth, 7), half of that behind a branch within the loop and a
/// quarter if it holds other loops, the first in address order among equals. Loops around calls
/// count for the depth, and the code of a function that they repeat competes as if it were a loop.
/// Without any loop it is the whole function `entry`. Error: objdump fails, or the bytes are no
/// library with that function.
Result<Descriptors> describe_binary(const Tools& tools, std::string_view shared_object,
                                    std::string_view entry = "kernel");

/// Like describe_binary, from objdump's text (`objdump -d -w -M intel --no-show-raw-insn`).
Result<Descriptors> describe_disassembly(std::string_view text, std::string_view shared_object,
                                         std::string_view entry = "kernel");

}  // namespace ke
