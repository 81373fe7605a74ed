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

/// One axis for a config to use. `edges` are the default borders between bins: n edges make n + 1
/// bins. They are fixed, never fitted to results.
struct DescriptorAxis {
  std::string_view name;
  std::string_view unit;
  std::string_view doc;
  std::span<const double> edges;
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
/// the innermost loop with the most work: (flops + memory bytes / 4 + instructions / 100) x
/// 4^depth, the first in address order among equals, or the whole function `kernel` if there is no
/// loop. Error: objdump fails, or the bytes are no such library. `entry` replaces the function name
/// `kernel`.
Result<Descriptors> describe_binary(const Tools& tools, std::string_view shared_object,
                                    std::string_view entry = "kernel");

/// Like describe_binary, from objdump's text (`objdump -d -w -M intel --no-show-raw-insn`).
Result<Descriptors> describe_disassembly(std::string_view text, std::string_view shared_object);

}  // namespace ke
