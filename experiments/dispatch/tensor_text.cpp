#include "experiments/dispatch/tensor_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "experiments/text/json.hpp"

namespace ke {
std::vector<std::string> axis_parameters(const Task& task) {
  std::vector<std::string> list;
  for (const std::string& axis : task.axis_arguments) list.push_back("size_t " + axis);
  return list;
}

std::string joined(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string quoted(const std::string& text) { return json_text(Json(text), JsonForm::ascii); }

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (const std::string& text : texts) list.push_back(quoted(text));
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

std::string tensor_names(const Task& task) {
  std::vector<std::string> names;
  for (const TensorSpec& tensor : task.tensors) names.push_back(tensor.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string data_text(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string text =
      "/* The kernels' code, as data. Written from dispatch.json. */\n"
      ".section .note.GNU-stack,\"\",@progbits\n.section .rodata\n";
  for (const auto& [symbol, path] : files) {
    // The zero ends sources.
    text += fmt::format(".balign 64\n.global {0}\n.hidden {0}\n{0}:\n.incbin \"{1}\"\n.byte 0\n",
                        symbol, path);
  }
  return text;
}

std::string build_text(const DispatchPlan& plan, const std::vector<std::string>& endings) {
  std::string functions;
  for (const std::string& ending : endings) functions += " " + plan.symbol + ending + ";";
  return fmt::format(
      "# Name of the library that build.sh builds, and its functions. Written from dispatch.json.\n"
      "library={}\nfunctions='{}'\n",
      plan.symbol, functions.substr(1));
}

std::string cpp_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && may_stand_in_identifier(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string word(text.substr(at, end - at));
    at = end;
    if (word[0] >= '0' && word[0] <= '9') {
      out += word + "LL";
    } else if (word == "occupancy") {
      const std::size_t open = text.find('(', at), close = text.find(')', at);
      std::string stage(text.substr(open + 1, close - open - 1));
      std::erase_if(stage, [](char c) { return c == ' '; });
      out += fmt::format("occupancy_{}()", stage);
      at = close + 1;
    } else {
      out += word;
    }
  }
  return out;
}

std::string bytes_text(const TensorSpec& tensor) {
  std::string text = fmt::format("{}LL", bytes_of(tensor.dtype));
  for (const Expression& length : tensor.shape) text += " * (" + cpp_text(length.text()) + ")";
  return text;
}

std::string_view number_functions() {
  return "  using dispatch::ceil_div, dispatch::max, dispatch::min, dispatch::round_up;\n";
}

std::string tensor_bytes_text(const Task& task) {
  std::string text = fmt::format(
      "/// Bytes of each tensor at these lengths of the axes.\n"
      "void tensor_bytes([[maybe_unused]] const std::size_t* lengths_, std::size_t* bytes_) {{\n{}",
      number_functions());
  const auto declare = [&](const std::string& name, const std::string& value) {
    text += fmt::format("  [[maybe_unused]] const dispatch::Number {} = {};\n", name, value);
  };
  for (std::size_t i = 0; i < task.axis_arguments.size(); ++i) {
    declare(task.axis_arguments[i], fmt::format("static_cast<std::int64_t>(lengths_[{}])", i));
  }
  for (const auto& [name, value] : task.constants) declare(name, fmt::format("{}LL", value));
  for (std::size_t i = 0; i < task.tensors.size(); ++i) {
    text += fmt::format("  bytes_[{}] = dispatch::bytes({});\n", i, bytes_text(task.tensors[i]));
  }
  return text + "}\n";
}

std::string lengths_text(const Task& task) {
  // A C++ array needs at least one element.
  const std::string lengths = fmt::format("{}", fmt::join(task.axis_arguments, ", "));
  return fmt::format("const std::size_t lengths_[] = {{{}}};",
                     lengths.empty() ? std::string("1") : lengths);
}

std::int64_t largest_align(const Task& task) {
  std::int64_t align = 1;
  for (const TensorSpec& tensor : task.tensors) align = std::max(align, tensor.align);
  return align;
}

}  // namespace ke
