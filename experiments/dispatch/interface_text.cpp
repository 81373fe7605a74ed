#include "experiments/dispatch/interface_text.hpp"

#include <filesystem>

#include "experiments/text/json.hpp"
#include "experiments/view/report/json_number.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/shape_rules.hpp"

namespace ke {
namespace {

std::string text_of(const Expression& expression) { return expression.text(); }

Json json_of(const TensorSpec& tensor) {
  Json json = {{"name", tensor.name},
               {"dtype", to_string(tensor.dtype)},
               {"shape", column(tensor.shape, text_of)},
               {"align", tensor.align},
               {"output", tensor.output},
               {"changes", tensor.changes}};
  if (!tensor.output && is_int(tensor.dtype) && tensor.dtype != Dtype::boolean) {
    json["range"] = {std::to_string(tensor.range_low), tensor.range_high.text()};
  }
  return json;
}

/// Input that gives an axis's length: index of the tensor and of its dimension.
Json source_of(const Task& task, const std::string& axis) {
  for (std::size_t t = 0; t < task.tensors.size() && !task.tensors[t].output; ++t) {
    const auto& shape = task.tensors[t].shape;
    const auto found = std::ranges::find(shape, axis, text_of);
    if (found != shape.end()) return {{"tensor", t}, {"dimension", found - shape.begin()}};
  }
  return {{"tensor", nullptr}};
}

Json axis_json(const Task& task, const std::string& axis) {
  const AxisRange range = axis_range(task, axis);
  Json json = {{"name", axis}};
  json.update(source_of(task, axis));
  json.update(
      {{"low", range.low}, {"high", range.high}, {"multiple_of", common_divisor(task, axis)}});
  return json;
}

}  // namespace

std::string reference_name(const Task& task) {
  return "reference" + std::filesystem::path(task.reference_file).extension().string();
}

std::string interface_text(const Task& task) {
  const Json json = {
      {"schema", "kernelevolve-interface/1"},
      {"task", task.name},
      {"description", task.description},
      {"source", task.source},
      {"licence", task.licence},
      {"threads", task.threads},
      {"reference", reference_name(task)},
      {"reference_uses_torch", is_python(task.reference_file) && uses_torch(task.reference_source)},
      {"tensors", column(task.tensors, [](const TensorSpec& tensor) { return json_of(tensor); })},
      {"axes",
       column(task.axis_arguments, [&](const std::string& axis) { return axis_json(task, axis); })},
      {"constants", task.constants},
      {"ordered", ordered_axes(task)}};
  return json_text(json, JsonForm::lines) + "\n";
}

}  // namespace ke
