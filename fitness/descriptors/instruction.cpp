#include "fitness/descriptors/instruction.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::string_view arithmetic_names[] = {
    "add",   "sub",     "mul",     "div",      "sqrt",   "min",     "max",     "addsub", "hadd",
    "hsub",  "dp",      "round",   "rndscale", "scalef", "reduce",  "rcp",     "rcp14",  "rcp28",
    "rsqrt", "rsqrt14", "rsqrt28", "exp2",     "getexp", "getmant", "fixupimm"};
constexpr std::string_view x87_names[] = {"fadd",  "fsub",   "fsubr", "fmul",  "fdiv",
                                          "fdivr", "fsqrt",  "faddp", "fsubp", "fmulp",
                                          "fdivp", "fsubrp", "fdivrp"};
constexpr std::pair<std::string_view, int> operand_bytes[] = {
    {"ZMMWORD PTR", 64}, {"YMMWORD PTR", 32}, {"XMMWORD PTR", 16}, {"QWORD BCST", 8},
    {"DWORD BCST", 4},   {"WORD BCST", 2},    {"TBYTE PTR", 10},   {"QWORD PTR", 8},
    {"DWORD PTR", 4},    {"BYTE PTR", 1},     {"WORD PTR", 2}};

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

std::optional<std::uint64_t> hex_at(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

int register_bits(std::string_view operands) {
  if (contains(operands, "zmm") || contains(operands, "ZMMWORD")) return 512;
  if (contains(operands, "ymm") || contains(operands, "YMMWORD")) return 256;
  return contains(operands, "xmm") || contains(operands, "XMMWORD") ? 128 : 0;
}

int element_bits(std::string_view mnemonic) {
  const char last = mnemonic.back();
  return last == 'd' ? 64 : last == 'h' ? 16 : 32;
}

bool ends_with_type(std::string_view word, std::string_view kinds) {
  if (word.size() < 4) return false;
  const std::string_view tail = word.substr(word.size() - 2);
  return contains(kinds, tail.substr(0, 1)) && contains("sdh", tail.substr(1));
}

// Sets the fields of arithmetic. The stem of vfmadd231ps is between the v of AVX and the type.
bool set_arithmetic(Instruction& out, std::string_view operands) {
  std::string_view stem = out.mnemonic;
  if (holds(x87_names, stem)) {
    out.floating = true;
    out.flops = 1;
    out.width_bits = 64;
    return true;
  }
  if (stem.starts_with("v")) stem.remove_prefix(1);
  const bool packed = ends_with_type(out.mnemonic, "p");
  if (!packed && !ends_with_type(out.mnemonic, "s")) return false;
  stem.remove_suffix(2);
  const bool fused = stem.starts_with("fmadd") || stem.starts_with("fmsub") ||
                     stem.starts_with("fnmadd") || stem.starts_with("fnmsub");
  if (!fused && !holds(arithmetic_names, stem)) return false;
  const int element = element_bits(out.mnemonic);
  out.floating = true;
  out.packed = packed;
  out.width_bits = packed ? register_bits(operands) : element;
  const double lanes = packed ? static_cast<double>(out.width_bits) / element : 1;
  out.flops = fused ? 2 * lanes : lanes;
  return true;
}

void set_vector(Instruction& out, std::string_view operands) {
  if (set_arithmetic(out, operands)) return;
  const int bits = register_bits(operands);
  if (bits == 0) return;
  const bool scalar = ends_with_type(out.mnemonic, "s") && !out.mnemonic.starts_with("vbroadcast");
  const bool narrow = out.mnemonic.ends_with("movd") || out.mnemonic.ends_with("movq");
  out.packed = !scalar && !narrow;
  out.width_bits = out.packed ? bits : element_bits(out.mnemonic);
}

double memory_of(const Instruction& instruction, std::string_view operands) {
  if (instruction.nop || instruction.mnemonic == "lea" ||
      instruction.mnemonic.starts_with("prefetch")) {
    return 0;
  }
  for (const auto& [name, bytes] : operand_bytes) {
    if (!contains(operands, name)) continue;
    const bool gather =
        contains(instruction.mnemonic, "gather") || contains(instruction.mnemonic, "scatter");
    return gather ? bytes * std::max(1.0, register_bits(operands) / (8.0 * bytes)) : bytes;
  }
  return 0;
}

void set_stack(Instruction& out, std::string_view operands) {
  if (out.mnemonic == "push") out.stack_bytes = 8;
  if (out.mnemonic != "sub" || !operands.starts_with("rsp,0x")) return;
  if (const auto size = hex_at(operands.substr(4)); size && *size < (std::uint64_t{1} << 40)) {
    out.stack_bytes = static_cast<std::int64_t>(*size);
  }
}

void set_flow(Instruction& out, std::string_view operands) {
  out.call = out.mnemonic == "call";
  out.jump = out.mnemonic.starts_with("j") || out.mnemonic.starts_with("loop");
  if ((out.call || out.jump) && !contains(operands, "[")) out.target = hex_at(operands);
}

// Skips prefixes that objdump prints as separate words.
std::string_view skip_prefixes(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (const char* prefix :
         {"rep ", "repz ", "repnz ", "lock ", "data16 ", "cs ", "notrack ", "bnd ", "rex.W "}) {
      if (!text.starts_with(prefix)) continue;
      text = trim(text.substr(std::string_view(prefix).size()));
      again = true;
    }
  }
  return text;
}

}  // namespace

bool Instruction::leaves() const {
  return mnemonic == "jmp" || mnemonic.starts_with("ret") || mnemonic == "ud2" || mnemonic == "hlt";
}

std::vector<std::string_view> Instruction::operands() const {
  const std::string_view all(text);
  return split(trim(all.substr(std::min(all.size(), all.find(mnemonic) + mnemonic.size()))), ',');
}

std::optional<Instruction> parse_instruction(std::string_view line) {
  const std::size_t colon = line.find(":\t");
  if (colon == std::string_view::npos) return std::nullopt;
  Instruction out;
  const auto address = hex_at(line.substr(0, colon));
  if (!address) return std::nullopt;
  out.address = *address;
  std::string_view code = trim(line.substr(colon + 2));
  if (const std::size_t comment = code.find(" # "); comment != std::string_view::npos) {
    out.reference = hex_at(code.substr(comment + 3));
    code = trim(code.substr(0, comment));
  }
  if (const std::size_t symbol = code.find(" <"); symbol != std::string_view::npos) {
    const std::string_view name = code.substr(symbol + 2);
    if (name.ends_with("@plt>")) out.callee = name.substr(0, name.size() - 5);
    code = trim(code.substr(0, symbol));
  }
  out.text = code;
  code = skip_prefixes(code);
  const std::size_t space = std::min(code.find(' '), code.size());
  out.mnemonic = code.substr(0, space);
  const std::string_view operands = trim(code.substr(space));
  out.undecoded = contains(code, "(bad)") || out.mnemonic.starts_with(".");
  if (out.mnemonic.empty() || out.undecoded) return out;
  out.nop =
      out.mnemonic.starts_with("nop") || out.text == "xchg   ax,ax" || out.mnemonic == "endbr64";
  set_flow(out, operands);
  set_vector(out, operands);
  out.memory_bytes = memory_of(out, operands);
  set_stack(out, operands);
  return out;
}

}  // namespace ke
