#pragma once
// A chip that only its owner has, described in YAML: the commands of its toolchain, the runner, the
// costs of its instructions, and its memory map.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/device_sheet.hpp"
#include "core/params.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke::cross {

/// The cost of a set of instructions. Names are as the disassembler writes them; a `*` at the end
/// matches any rest.
struct CostRule {
  /// How the cost scales: not at all; with the registers that `vector_set` grouped; with
  /// `registers`.
  enum class Scale { none, grouped, fixed };
  std::string name;  ///< class name; several rules may share it
  double cost = 1;
  Scale scale = Scale::none;
  double registers = 1;  ///< for Scale::fixed
  std::vector<std::string> instructions;
};

/// A number in the output of the command `resources`: word `field` (from 0) of the first line that
/// begins with `line`.
struct Resource {
  std::string measure;
  std::string line;
  std::int64_t field = 1;
};

/// Addresses of the chip: [code, data) is executable and readable for a kernel, [data, mailbox) is
/// writable, [mailbox, tensors) holds the calls (see machine.cpp), [tensors, end) the tensors.
struct MemoryMap {
  std::int64_t base = 0;   ///< address of the first byte of the memory file
  std::int64_t bytes = 0;  ///< size of the memory file
  std::int64_t code = 0, data = 0, mailbox = 0, tensors = 0, end = 0;
};

struct Chip {
  std::string name;
  std::string install;  ///< advice when a program is missing
  std::string support;  ///< folder of trusted files; `{support}` in commands
  /// Commands contain placeholders `{word}`, which each step fills in.
  Command version, compile, link, disassemble, resources;
  Command run, checked, counted;  ///< the runner, and its additions for checks and for counts
  std::string timing;             ///< trace | counter
  std::vector<std::string> flags, dropped_flags, refused;
  std::vector<CostRule> costs;
  std::vector<Resource> resource_measures;
  std::vector<std::string> vector_set;
  double vector_bits = 0, datapath_bits = 0;
  std::vector<std::string> traps;  ///< cause names, by number
  MemoryMap memory;
  std::int64_t call_limit = 0;  ///< ticks of the chip's clock for one call
  std::int64_t run_limit_ms = 0;
  std::int64_t counter_overhead = 0;  ///< per call
  double count_tolerance = 0;

  /// Declares and checks the options below `device`.
  static Chip read(Params& device);

  /// Names of the classes without duplicates, in order.
  std::vector<std::string> class_names() const;
  /// Programs of the commands that are not installed.
  std::vector<std::string> missing_programs() const;
};

/// Whether `name` matches a pattern: equal, or equal up to a final `*`.
bool matches(std::string_view name, const std::vector<std::string>& patterns);

/// Values for a command's placeholders. A list replaces an argument that consists of its
/// placeholder.
struct Words {
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
};
Command filled(const Command& command, const Words& words);

DeviceSheet chip_sheet(const Chip& chip);

}  // namespace ke::cross
