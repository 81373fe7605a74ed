#include "experiments/study/check/trivial_kernels.hpp"

#include <fmt/format.h>

#include "core/language.hpp"

namespace ke {
namespace {

using Sources = std::vector<std::pair<std::string, std::string>>;

std::string_view type_of(const TensorSpec& tensor) { return row_of(tensor.dtype).cpp; }

std::string parameters(const Task& task) {
  std::string text;
  for (const TensorSpec& tensor : task.tensors) {
    text += fmt::format("{}{} {}* {}", text.empty() ? "" : ", ", tensor.output ? "" : "const",
                        type_of(tensor), tensor.name);
  }
  for (const std::string& axis : task.axis_arguments) text += ", std::size_t " + axis;
  return text;
}

/// Number of elements as C++. Shapes use axes, which are parameters here, and constants, which are
/// written out.
std::string elements(const TensorSpec& tensor) {
  std::string text = "std::size_t(1)";
  for (const Expression& extent : tensor.shape) text += " * std::size_t(" + extent.text() + ")";
  return text;
}

// The loop variable ends in '_' so that it hides no tensor or axis: `n = n` would fill nothing.
std::string fill(const TensorSpec& output, const std::string& value) {
  return fmt::format("  for (std::size_t at_ = 0; at_ < {}; ++at_) {}[at_] = {};\n",
                     elements(output), output.name, value);
}

const TensorSpec& first_input(const Task& task) {
  for (const TensorSpec& tensor : task.tensors) {
    if (!tensor.output) return tensor;
  }
  return task.tensors.front();
}

std::string copied(const Task& task, const TensorSpec& output) {
  const TensorSpec& input = first_input(task);
  return fill(output, fmt::format("static_cast<{}>({}[at_ % ({})])", type_of(output), input.name,
                                  elements(input)));
}

std::string source(const Task& task, const std::string& body) {
  std::string text = "#include <cstddef>\n#include <cstdint>\n";
  for (const auto& [name, value] : task.constants) {
    text += fmt::format("static constexpr std::size_t {} = {};\n", name, value);
  }
  return text + fmt::format("extern \"C\" void kernel({}) {{\n{}}}\n", parameters(task), body);
}

Sources in_cpp(const Task& task) {
  std::string zeros;
  std::string nan;
  std::string constant;
  std::string identity;
  for (const TensorSpec& tensor : task.tensors) {
    if (!tensor.output) continue;
    zeros += fill(tensor, "0");
    nan += fill(tensor, is_float(tensor.dtype) ? "__builtin_nanf(\"\")" : "-1");
    constant += fill(tensor, "1");
    identity += copied(task, tensor);
  }
  return {{"zeros", source(task, zeros)},
          {"nan", source(task, nan)},
          {"constant", source(task, constant)},
          {"identity", source(task, identity)},
          {"noop", source(task, "")}};
}

/// Writes a plan that sets the bytes of all outputs and makes one launch, which every plan must
/// have.
std::string memset_plan(const Task& task, int byte) {
  std::string text;
  for (const TensorSpec& tensor : task.tensors) {
    if (tensor.output && byte >= 0) text += fmt::format("// @memset {} = {}\n", tensor.name, byte);
  }
  return text +
         "// @launch nothing grid=(1) block=(1) args=()\n"
         "extern \"C\" __global__ void nothing() {}\n";
}

Sources in_launched(const Task& task) {
  constexpr int nan_byte = 255;
  constexpr int constant_byte = 63;
  return {{"zeros", memset_plan(task, 0)},
          {"nan", memset_plan(task, nan_byte)},
          {"constant", memset_plan(task, constant_byte)},
          {"noop", memset_plan(task, -1)}};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> trivial_kernels(const Task& task) {
  const Language& language = language_of_kernels(task.language);
  if (language.entry == EntryRule::c_function) return in_cpp(task);
  return language.keyword == "__global__" ? in_launched(task) : Sources();
}

}  // namespace ke
