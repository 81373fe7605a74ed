#include "experiments/dispatch/launch_library_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

void CodeData::add(const std::string& symbol, const std::string& path) {
  // The zero ends sources.
  text_ += fmt::format(".balign 64\n.global {0}\n.hidden {0}\n{0}:\n.incbin \"{1}\"\n.byte 0\n",
                       symbol, path);
}

std::string build_text(const DispatchPlan& plan, const std::vector<std::string>& endings) {
  std::string functions;
  for (const std::string& ending : endings) functions += " " + plan.symbol + ending + ";";
  return fmt::format(
      "# Name of the library that build.sh builds, and its functions. Written from dispatch.json.\n"
      "library={}\nfunctions='{}'\n",
      plan.symbol, functions.substr(1));
}

}  // namespace ke
