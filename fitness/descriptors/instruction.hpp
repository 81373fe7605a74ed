#pragma once
// Decodes one x86-64 instruction from a line of `objdump -d -M intel`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One decoded line.
struct Instruction {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< length
  std::string text;         ///< mnemonic and operands, without symbol names
  std::string mnemonic;
  std::string callee;  ///< library function of a call through the linkage table
  bool undecoded = false;

  bool jump = false;  ///< any jump, conditional or not
  bool call = false;
  bool nop = false;
  std::optional<std::uint64_t> target;     ///< for a direct jump or call
  std::optional<std::uint64_t> reference;  ///< code or data named relative to rip

  bool floating = false;         ///< floating-point arithmetic
  bool packed = false;           ///< works on a whole vector register
  int width_bits = 0;            ///< width of the data; 0 = no vector register
  double flops = 0;              ///< a fused multiply-add counts two per lane
  double memory_bytes = 0;       ///< loaded or stored
  std::int64_t stack_bytes = 0;  ///< taken from the stack by `sub rsp` and `push`

  /// Whether control never goes on to the next instruction.
  bool leaves() const;
  /// The operands in order, "dword ptr [rax+rcx*4]" being one.
  std::vector<std::string_view> operands() const;
};

/// Parses `  1040:\tvaddps zmm0,zmm1,ZMMWORD PTR [rax]`; nothing for other lines.
std::optional<Instruction> parse_instruction(std::string_view line);

}  // namespace ke
