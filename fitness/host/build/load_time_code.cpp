#include "fitness/host/build/load_time_code.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ke {
namespace {

constexpr std::uint8_t elf_function = 2;
constexpr std::uint32_t elf_init_array = 14;
constexpr std::uint32_t absolute64 = 1, relative32 = 2, call32 = 4, through_table = 9,
                        through_table_relaxed = 41, through_table_relaxed_rex = 42;

/// Required kind of the 32-bit operand of an instruction.
enum class Operand { none, any_address, own_variable, atexit };

/// An instruction by its first bytes. `form`: one bit set means that the ModRM byte, which follows,
/// addresses relative to the instruction (mod 0, rm 5), or is between registers (mod 3).
struct Pattern {
  std::string_view bytes;
  enum class Form { plain, relative, registers } form = Form::plain;
  Operand operand = Operand::none;
  std::size_t rest = 0;  ///< bytes behind the operand
};

using namespace std::string_view_literals;
using Form = Pattern::Form;

constexpr Pattern patterns[] = {
    {"\xf3\x0f\x1e\xfa"sv},                             // endbr64
    {"\x90"sv},                                         // nop
    {"\xc3"sv},                                         // ret
    {"\x48\x83\xec"sv, Form::plain, Operand::none, 1},  // sub $, %rsp
    {"\x48\x83\xc4"sv, Form::plain, Operand::none, 1},  // add $, %rsp
    {"\x31"sv, Form::registers},                        // xor, 32 bits
    {"\x48\x89"sv, Form::registers},                    // mov
    {"\x4c\x89"sv, Form::registers},
    {"\x49\x89"sv, Form::registers},
    {"\x66\x0f\xef"sv, Form::registers},                   // pxor
    {"\x0f\x57"sv, Form::registers},                       // xorps
    {"\x48\x8d"sv, Form::relative, Operand::any_address},  // lea
    {"\x4c\x8d"sv, Form::relative, Operand::any_address},
    {"\x48\x8b"sv, Form::relative, Operand::any_address},  // mov from memory
    {"\x4c\x8b"sv, Form::relative, Operand::any_address},
    {"\x66\x0f\x6f"sv, Form::relative, Operand::any_address},  // movdqa from memory
    {"\x0f\x28"sv, Form::relative, Operand::any_address},      // movaps from memory
    {"\x48\x89"sv, Form::relative, Operand::own_variable},     // mov to memory
    {"\x4c\x89"sv, Form::relative, Operand::own_variable},
    {"\x89"sv, Form::relative, Operand::own_variable},
    {"\x0f\x11"sv, Form::relative, Operand::own_variable},     // movups to memory
    {"\x0f\x29"sv, Form::relative, Operand::own_variable},     // movaps to memory
    {"\x48\xc7"sv, Form::relative, Operand::own_variable, 4},  // movq $, memory
    {"\xc7"sv, Form::relative, Operand::own_variable, 4},      // movl $, memory
    {"\xc6"sv, Form::relative, Operand::own_variable, 1},      // movb $, memory
    {"\xe8"sv, Form::plain, Operand::atexit},                  // call
    {"\xe9"sv, Form::plain, Operand::atexit},                  // jmp
};

bool is_push_or_pop(std::string_view code) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(code[i]); };
  return !code.empty() && byte(0) >= 0x50 && byte(0) <= 0x5f;
}

/// Checks one function.
class Reader {
 public:
  Reader(const ElfFile& file, std::uint32_t section, std::uint64_t begin, std::uint64_t size)
      : file_(file), section_(section), at_(begin), end_(begin + size) {}

  bool run() {
    const std::string_view all = file_.sections[section_].content;
    if (end_ > all.size() || at_ >= end_) return false;
    while (at_ < end_) {
      const std::string_view code = all.substr(at_, end_ - at_);
      const std::size_t length = step(code);
      if (length == 0 || !keeps_stack(code)) return false;
      at_ += length;
    }
    return at_ == end_;
  }

 private:
  // A return to anything but the caller would run other code. Nothing here writes to the stack, so
  // it suffices that returns and jumps find it as deep as it was.
  bool keeps_stack(std::string_view code) {
    const auto byte = [&](std::size_t i) {
      return i < code.size() ? static_cast<std::uint8_t>(code[i]) : std::uint8_t{0};
    };
    const std::size_t prefix = byte(0) == 0x41 ? 1 : 0;
    if (is_push_or_pop(code.substr(prefix))) {
      if (byte(prefix) == 0x5c && prefix == 0) return false;  // pop %rsp
      depth_ += byte(prefix) < 0x58 ? 8 : -8;
    } else if (code.starts_with("\x48\x83"sv)) {
      if (byte(3) > 127) return false;
      depth_ += byte(2) == 0xec ? byte(3) : -int{byte(3)};
    } else if (byte(0) == 0xc3 || byte(0) == 0xe9) {
      return depth_ == 0;
    } else if (byte(1) == 0x89 && (byte(2) & 0xc0) == 0xc0) {
      return byte(0) == 0x49 || (byte(2) & 7) != 4;  // mov to %rsp
    }
    return depth_ >= 0;
  }

  // Length of the instruction; 0 for one that is not allowed.
  std::size_t step(std::string_view code) const {
    if (is_push_or_pop(code)) return 1;
    if (code.size() > 1 && code[0] == '\x41' && is_push_or_pop(code.substr(1))) return 2;
    for (const Pattern& pattern : patterns) {
      if (const std::size_t length = match(pattern, code); length > 0) return length;
    }
    return 0;
  }

  std::size_t match(const Pattern& pattern, std::string_view code) const {
    if (!code.starts_with(pattern.bytes)) return 0;
    std::size_t length = pattern.bytes.size();
    if (pattern.form != Form::plain) {
      if (code.size() <= length) return 0;
      const auto mode = static_cast<std::uint8_t>(code[length++]);
      const bool relative = (mode & 0xc7) == 0x05, registers = (mode & 0xc0) == 0xc0;
      if (pattern.form == Form::relative ? !relative : !registers) return 0;
    }
    if (pattern.operand != Operand::none) {
      if (!fits(pattern.operand, at_ + length)) return 0;
      length += 4;
    }
    length += pattern.rest;
    return length <= code.size() ? length : 0;
  }

  // Every address must come from the linker: one that the object computes could lie anywhere.
  bool fits(Operand operand, std::uint64_t place) const {
    const auto found =
        std::ranges::find_if(file_.relocations, [&](const ElfRelocation& relocation) {
          return relocation.section == section_ && relocation.offset == place;
        });
    if (found == file_.relocations.end() || found->symbol >= file_.symbols.size()) return false;
    const ElfSymbol& target = file_.symbols[found->symbol];
    if (operand == Operand::atexit) {
      return (found->type == call32 || found->type == relative32) && target.undefined() &&
             target.name == "__cxa_atexit";
    }
    const bool table = found->type == through_table || found->type == through_table_relaxed ||
                       found->type == through_table_relaxed_rex;
    if (operand == Operand::any_address) return table || found->type == relative32;
    if (found->type != relative32 || target.section >= file_.sections.size()) return false;
    const ElfSection& home = file_.sections[target.section];
    const std::int64_t at = static_cast<std::int64_t>(target.value) + found->addend + 4;
    return !target.undefined() && home.allocated() && home.writable() && !home.executable() &&
           at >= 0 && at + 16 <= static_cast<std::int64_t>(home.size) + 16;
  }

  const ElfFile& file_;
  std::uint32_t section_;
  std::uint64_t at_, end_;
  int depth_ = 0;  ///< bytes on the stack
};

const ElfSymbol* function_at(const ElfFile& file, const ElfRelocation& relocation) {
  if (relocation.symbol >= file.symbols.size()) return nullptr;
  const ElfSymbol& target = file.symbols[relocation.symbol];
  const std::uint64_t value = target.value + static_cast<std::uint64_t>(relocation.addend);
  for (const ElfSymbol& symbol : file.symbols) {
    if (symbol.type == elf_function && symbol.section == target.section && symbol.value == value)
      return &symbol;
  }
  return nullptr;
}

}  // namespace

bool only_sets_up_variables(const ElfFile& file, const ElfSection& init_array) {
  const auto index = static_cast<std::uint32_t>(&init_array - file.sections.data());
  if (init_array.type != elf_init_array || init_array.size % 8 != 0) return false;
  std::uint64_t entries = 0;
  for (const ElfRelocation& relocation : file.relocations) {
    if (relocation.section != index) continue;
    const ElfSymbol* const function = function_at(file, relocation);
    const bool good = relocation.type == absolute64 && relocation.offset == entries * 8 &&
                      function != nullptr && function->section < file.sections.size() &&
                      file.sections[function->section].executable() &&
                      Reader(file, function->section, function->value, function->size).run();
    if (!good) return false;
    ++entries;
  }
  return entries * 8 == init_array.size;
}

}  // namespace ke
