#include "fitness/task_contract.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fitness/host/python_baseline.hpp"
#include "fitness/task.hpp"

namespace ke {
namespace {

struct ClassWords {
  std::string_view name, words, of_float64 = {};
};

// Must agree with the classes that fitness/content/generate.cpp draws.
constexpr ClassWords known_classes[] = {
    {"normal", "normal with deviation 1"},
    {"wide", "normal with deviation 8"},
    {"large", "normal with deviation 60"},
    {"shifted", "normal with deviation 1 around a mean of up to 512 (float16: 15)"},
    {"vast", "normal with deviations up to the fourth root of the type's largest number"},
    {"huge", "normal with deviation an eighth of the type's largest number"},
    {"tiny", "normal with deviation 1e-20 (float16: 1e-3) with subnormal numbers among them",
     "normal with deviation 1e-160 with subnormal numbers among them"},
    {"positive", "uniform in (0, 2]"},
    {"constant", "one value everywhere"},
    {"one_hot", "zeros but for one element a row"},
    {"sorted", "rising along each row from -4 to 4"},
    {"clustered", "rising along each row from -4 to 4 in a few large steps"},
    {"grid", "normal, rounded to multiples of 1/4, so that many are equal"},
    {"steps", "rising along each row from -4 to 4 in multiples of 1/4"},
    {"tiny_sorted", "rising along each row through the subnormal numbers"},
    {"nan_inf", "normal with NaN, +inf and -inf in some rows, and rows of nothing but -inf"},
    {"positive_nan_inf", "uniform in (0, 2] with NaN, +inf and -inf in some rows"},
    {"overflow", "normal with a few elements of magnitude 32768 to 65504 in half of the rows"},
    {"masked", "0 and -inf"},
    {"uniform", "uniform"},
    {"zipf", "a few values often and most seldom, as 1 / value"},
    {"sequential", "counting up, again and again"},
};

std::vector<std::string> values_of(const TensorSpec& tensor) {
  std::vector<std::string> words;
  for (const std::string& name : tensor.classes) {
    std::string one(class_words(name, tensor.dtype));
    if (std::ranges::find(words, one) == words.end()) words.push_back(std::move(one));
  }
  if (tensor.output) return words;
  if (tensor.dtype == Dtype::boolean) {
    words.insert(words.begin(), "0 and 1");
  } else if (is_int(tensor.dtype)) {
    words.insert(
        words.begin(),
        fmt::format(
            "integers in [{}, {}){}", tensor.range_low, tensor.range_high.text(),
            tensor.marks.empty() ? "" : fmt::format(" and {}", fmt::join(tensor.marks, ", "))));
  } else if (tensor.scale != 1) {
    words.insert(words.begin(), fmt::format("all of them times {}", tensor.scale));
  }
  return words;
}

ContractTensor contract_tensor(const TensorSpec& tensor) {
  ContractTensor made;
  made.name = tensor.name;
  made.dtype = to_string(tensor.dtype);
  for (const Expression& length : tensor.shape) made.shape.push_back(length.text());
  made.align = tensor.align;
  made.output = tensor.output;
  made.changes = tensor.changes;
  made.values = values_of(tensor);
  return made;
}

ContractShape contract_shape(const Task& task, const Workload& workload) {
  ContractShape shape{workload.label, std::string(to_string(workload.role))};
  shape.weight = task.mean.weight(workload.label);
  for (const TensorSpec& tensor : task.tensors) {
    const auto elements = task.elements(tensor, workload);
    if (!elements) continue;
    shape.tensor_bytes += *elements * static_cast<std::int64_t>(bytes_of(tensor.dtype));
  }
  if (const auto bytes = task.value(task.bytes, workload)) shape.traffic_bytes = *bytes;
  if (const auto flops = task.value(task.flops, workload)) shape.flops = *flops;
  return shape;
}

std::string_view nonfinite_name(Nonfinite rule) {
  return rule == Nonfinite::propagate ? "propagate"
         : rule == Nonfinite::row_nan ? "row_nan"
                                      : "unspecified";
}

}  // namespace

std::string_view class_words(std::string_view input_class, Dtype dtype) {
  const auto found = std::ranges::find(known_classes, input_class, &ClassWords::name);
  if (found == std::end(known_classes)) return "";
  return dtype == Dtype::float64 && !found->of_float64.empty() ? found->of_float64 : found->words;
}

TaskContract contract_of(const Task& task) {
  TaskContract contract;
  contract.language = task.language;
  for (const TensorSpec& tensor : task.tensors) contract.tensors.push_back(contract_tensor(tensor));
  contract.axes = task.axis_arguments;
  for (const std::string& axis : task.axes) {
    const auto fixed = task.constants.find(axis);
    if (fixed != task.constants.end()) contract.constants.emplace_back(*fixed);
  }
  for (const std::string& axis : task.axis_arguments) {
    if (task.constants.contains(axis)) continue;
    const AxisRange range = axis_range(task, axis);
    contract.sizes.push_back(fmt::format("{} from {} to {}", axis, range.low, range.high));
  }
  contract.threads = task.threads;
  contract.libraries = task.libraries;
  contract.on_host = task.language == "cpp" || task.language == "opencl";
  contract.prepares = task.language == "cpp";
  contract.nonfinite = nonfinite_name(task.nonfinite);
  contract.flushes = task.subnormals == Subnormals::flush;
  contract.relative = task.tolerance.relative;
  contract.relative_l2 = task.tolerance.relative_l2;
  contract.scale = task.tolerance.scale;
  contract.absolute = task.tolerance.absolute;
  contract.matched_ratio = task.tolerance.matched_ratio;
  contract.max_error = task.tolerance.max_error;
  contract.row = task.row.text();
  contract.total_time = task.mean.total_time;
  contract.opponent = anchor_stand_in(task);
  std::ranges::replace(contract.opponent, '_', ' ');
  for (const Workload& workload : task.workloads) {
    if (workload.role != Role::holdout) contract.shapes.push_back(contract_shape(task, workload));
  }
  return contract;
}

}  // namespace ke
