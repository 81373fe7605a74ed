#include "core/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ke {
namespace {

/// How a language writes a kernel's head. In patterns, {0} is the type and {1} the name.
struct SignatureForm {
  std::string_view language;
  std::array<std::string_view, 4> types;  ///< float32, int32, float16, bfloat16
  std::string_view head, input, output, size, tail;
};

constexpr std::string_view c_input = "const {0}* __restrict__ {1}";
constexpr std::string_view c_output = "{0}* __restrict__ {1}";

// Half types: as NVRTC and configs/backends/hip/include name them; the judge's C++ ABI has none.
constexpr SignatureForm forms[] = {
    {"cpp",
     {"float", "int", "", ""},
     "extern \"C\" void kernel(",
     c_input,
     c_output,
     "std::size_t {1}",
     ")"},
    {"riscv",
     {"float", "int", "", ""},
     "extern \"C\" void kernel(",
     c_input,
     c_output,
     "std::size_t {1}",
     ")"},
    {"cuda",
     {"float", "int", "__half", "__nv_bfloat16"},
     "extern \"C\" __global__ void NAME(",
     c_input,
     c_output,
     "size_t {1}",
     ")"},
    {"hip",
     {"float", "int", "__half", "__hip_bfloat16"},
     "extern \"C\" __global__ void NAME(",
     c_input,
     c_output,
     "size_t {1}",
     ")"},
    {"opencl",
     {"float", "int", "half", ""},
     "__kernel void NAME(",
     "__global const {0}* restrict {1}",
     "__global {0}* restrict {1}",
     "ulong {1}",
     ")"},
    {"triton",
     {"tl.float32", "tl.int32", "tl.float16", "tl.bfloat16"},
     "@triton.jit\ndef NAME(",
     "{1}",
     "{1}",
     "{1}",
     ", KNOB: tl.constexpr, ...):"},
    {"cute",
     {"cutlass.Float32", "cutlass.Int32", "cutlass.Float16", "cutlass.BFloat16"},
     "@cute.jit\ndef NAME(",
     "{1}: cute.Pointer",
     "{1}: cute.Pointer",
     "{1}: cutlass.Int64",
     ", KNOB: cutlass.Constexpr, ...):"},
    {"flydsl",
     {"float32", "int32", "float16", "bfloat16"},
     "@flyc.kernel\ndef NAME(",
     "{1}",
     "{1}",
     "{1}",
     "):"},
};

const SignatureForm& form_of(std::string_view language) {
  const auto found = std::ranges::find(forms, language, &SignatureForm::language);
  return found == std::end(forms) ? forms[0] : *found;
}

}  // namespace

std::string_view c_type(std::string_view language, std::string_view dtype) {
  constexpr std::string_view dtypes[] = {"float32", "int32", "float16", "bfloat16"};
  const auto at = std::ranges::find(dtypes, dtype) - std::begin(dtypes);
  return at == std::ssize(dtypes) ? "" : form_of(language).types[static_cast<std::size_t>(at)];
}

std::string signature_text(const TaskContract& contract) {
  const SignatureForm& form = form_of(contract.language);
  std::vector<std::string> arguments;
  for (const ContractTensor& tensor : contract.tensors) {
    arguments.push_back(fmt::format(fmt::runtime(tensor.output ? form.output : form.input),
                                    c_type(contract.language, tensor.dtype), tensor.name));
  }
  for (const std::string& axis : contract.axes) {
    arguments.push_back(fmt::format(fmt::runtime(form.size), "", axis));
  }
  return fmt::format("{}{}{}", form.head, fmt::join(arguments, ", "), form.tail);
}

}  // namespace ke
