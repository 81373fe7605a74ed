#include "experiments/check/trivial_kernels.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

std::string_view type_of(const TensorSpec& tensor) {
  return tensor.dtype == Dtype::float32 ? "float" : "int";
}

std::string parameters(const Task& task) {
  std::string text;
  for (const TensorSpec& tensor : task.tensors) {
    text += fmt::format("{}{} {}* {}", text.empty() ? "" : ", ", tensor.output ? "" : "const",
                        type_of(tensor), tensor.name);
  }
  for (const std::string& axis : task.axis_arguments) text += ", std::size_t " + axis;
  return text;
}

/// Shapes are expressions over axes, which are parameters here, and constants, which are written
/// out.
std::string elements(const TensorSpec& tensor) {
  std::string text = "std::size_t(1)";
  for (const Expression& extent : tensor.shape) text += " * std::size_t(" + extent.text() + ")";
  return text;
}

// The names end in '_': those of tensors and axes are in scope, and `n = n` would fill nothing.
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
  std::string text = "#include <cstddef>\n";
  for (const auto& [name, value] : task.constants) {
    text += fmt::format("static constexpr std::size_t {} = {};\n", name, value);
  }
  return text + fmt::format("extern \"C\" void kernel({}) {{\n{}}}\n", parameters(task), body);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> trivial_kernels(const Task& task) {
  std::string zeros;
  std::string nan;
  std::string constant;
  std::string identity;
  for (const TensorSpec& tensor : task.tensors) {
    if (!tensor.output) continue;
    zeros += fill(tensor, "0");
    nan += fill(tensor, tensor.dtype == Dtype::float32 ? "__builtin_nanf(\"\")" : "-1");
    constant += fill(tensor, "1");
    identity += copied(task, tensor);
  }
  return {{"zeros", source(task, zeros)},
          {"nan", source(task, nan)},
          {"constant", source(task, constant)},
          {"identity", source(task, identity)},
          {"noop", source(task, "")}};
}

}  // namespace ke
