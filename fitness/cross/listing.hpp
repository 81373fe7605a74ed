#pragma once
// The code of a linked kernel: the instruction at each address, and its cost.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/cross/chip.hpp"
#include "fitness/host/build/object_check.hpp"

namespace ke::cross {

struct Instruction {
  std::uint64_t address = 0;
  int rule = -1;          ///< index in Chip::costs
  double grouped = 0;     ///< registers that it groups; 0 = not a `vector_set`
  std::string text = {};  ///< name and operands
};

/// Instructions by address.
class Listing {
 public:
  /// Parses the output of `objdump -d` without raw bytes; `trusted` sections may hold instructions
  /// of Chip::refused.
  static Listing read(std::string_view printed, const Chip& chip,
                      const std::vector<std::string>& trusted);

  /// Why a kernel must not have this code: forbidden_instruction, unpriced_instruction (in no
  /// class; includes data among code), no_code, too_much_code.
  const std::optional<Refusal>& problem() const { return problem_; }

  /// Null where no instruction begins.
  const Instruction* at(std::uint64_t address) const;
  const std::vector<Instruction>& instructions() const { return list_; }

 private:
  void refuse(std::string reason, std::string detail);
  void make_index();

  std::optional<Refusal> problem_;
  std::vector<Instruction> list_;    ///< by ascending address
  std::vector<std::int32_t> index_;  ///< by (address - first) / 2; -1 = no instruction begins there
};

/// Registers that an instruction like `vsetvli t0, a2, e32, m2, ta, ma` groups; 0 = not given.
double grouped_registers(std::string_view operands);

}  // namespace ke::cross
