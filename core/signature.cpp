#include "core/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/dtype_table.hpp"

namespace ke {
namespace {

/// A language's form of a kernel signature. In patterns, {0} is the type and {1} the name.
struct SignatureForm {
  std::string_view language;
  std::string_view DtypeRow::*type;  ///< column of dtype_table
  std::string_view head, input, output, size, tail;
};

constexpr std::string_view c_input = "const {0}* __restrict__ {1}";
constexpr std::string_view c_output = "{0}* __restrict__ {1}";

constexpr SignatureForm forms[] = {
    {"cpp", &DtypeRow::cpp, "extern \"C\" void kernel(", c_input, c_output, "std::size_t {1}", ")"},
    {"riscv", &DtypeRow::cpp, "extern \"C\" void kernel(", c_input, c_output, "std::size_t {1}",
     ")"},
    {"cuda", &DtypeRow::cuda, "extern \"C\" __global__ void NAME(", c_input, c_output, "size_t {1}",
     ")"},
    {"hip", &DtypeRow::hip, "extern \"C\" __global__ void NAME(", c_input, c_output, "size_t {1}",
     ")"},
    {"opencl", &DtypeRow::opencl, "__kernel void NAME(", "__global const {0}* restrict {1}",
     "__global {0}* restrict {1}", "ulong {1}", ")"},
    {"triton", &DtypeRow::triton, "@triton.jit\ndef NAME(", "{1}", "{1}", "{1}",
     ", KNOB: tl.constexpr, ...):"},
    {"cute", &DtypeRow::cute, "@cute.jit\ndef NAME(", "{1}: cute.Pointer", "{1}: cute.Pointer",
     "{1}: cutlass.Int64", ", KNOB: cutlass.Constexpr, ...):"},
    {"flydsl", &DtypeRow::flydsl, "@flyc.kernel\ndef NAME(", "{1}", "{1}", "{1}", "):"},
};

const SignatureForm& form_of(std::string_view language) {
  const auto found = std::ranges::find(forms, language, &SignatureForm::language);
  return found == std::end(forms) ? forms[0] : *found;
}

}  // namespace

std::string_view c_type(std::string_view language, std::string_view dtype) {
  const auto known = dtype_named(dtype);
  return known ? row_of(*known).*form_of(language).type : "";
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
