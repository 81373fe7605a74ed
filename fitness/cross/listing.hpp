#pragma once
// The code of a linked kernel: what each address holds and what it costs.

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
  double grouped = 0;     ///< registers that it groups; 0 = it is no `vector_set`
  std::string text = {};  ///< name and operands
};

/// Instructions by address.
class Listing {
 public:
  /// Reads what `objdump -d` prints without raw bytes; `trusted` sections may hold instructions of
  /// Chip::refused.
  static Listing read(std::string_view printed, const Chip& chip,
                      const std::vector<std::string>& trusted);

  /// Why a kernel may not have this code: forbidden_instruction, unpriced_instruction (no class
  /// names it; data among code is such), no_code, too_much_code.
  const std::optional<ObjectProblem>& problem() const { return problem_; }

  /// Null where no instruction begins.
  const Instruction* at(std::uint64_t address) const;
  const std::vector<Instruction>& instructions() const { return list_; }

 private:
  void refuse(std::string reason, std::string detail);
  void make_index();

  std::optional<ObjectProblem> problem_;
  std::vector<Instruction> list_;    ///< by rising address
  std::vector<std::int32_t> index_;  ///< by (address - first) / 2; -1 = none begins there
};

/// Registers that an instruction like `vsetvli t0, a2, e32, m2, ta, ma` groups; 0 = it says
/// nothing.
double grouped_registers(std::string_view operands);

}  // namespace ke::cross
