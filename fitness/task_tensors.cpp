// Reads a task's tensors and the order of the kernel's arguments.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/text.hpp"
#include "fitness/content/generate.hpp"
#include "fitness/task_reader.hpp"

namespace ke {
namespace {

constexpr std::size_t most_arguments = 16;

void check_words(Params& p, std::string_view key, const std::vector<std::string>& words,
                 const std::vector<std::string>& known) {
  for (const std::string& word : words) {
    if (std::ranges::find(known, word) != known.end()) continue;
    p.fail(key, fmt::format("names '{}', which is not one of {}{}", word, fmt::join(known, " | "),
                            suggestion(word, known)));
  }
}

}  // namespace

void TaskReader::read_tensors() {
  for (const bool output : {false, true}) {
    const std::string_view key = output ? "outputs" : "inputs";
    Params list = top_.section(key);
    for (const std::string& name : list.keys()) {
      if (tensor(name) != nullptr || is_axis(name)) list.fail(name, "is named twice");
      task_.tensors.push_back(read_tensor(list.section(name), name, output));
    }
    if (list.keys().empty()) top_.fail(key, "must name at least one tensor");
  }
}

TensorSpec TaskReader::read_tensor(Params p, const std::string& name, bool output) {
  TensorSpec tensor;
  tensor.name = name;
  tensor.output = output;
  for (const std::string& text :
       p.texts("shape", {}, "lengths, expressions over axes; [] = one element")) {
    tensor.shape.push_back(expression(p, "shape", text));
  }
  // A tensor of rank 0 is stored as a tensor of length 1.
  if (tensor.shape.empty() && p.has("shape")) tensor.shape.push_back(*Expression::parse("1"));
  if (tensor.shape.empty()) p.fail("shape", "is missing");
  tensor.dtype = dtype_named(p.choice("dtype", "float32", {dtype_names.begin(), dtype_names.end()},
                                      "type of the elements"))
                     .value_or(Dtype::float32);
  tensor.align = p.integer("align", 64, {4, 4096}, "alignment in bytes, a power of two");
  if (!std::has_single_bit(static_cast<std::uint64_t>(tensor.align))) {
    p.fail("align", fmt::format("= {} is not a power of two", tensor.align));
  }
  if (output) return tensor;
  tensor.changes = p.choice("changes", "every_call", {"every_call", "never"},
                            "whether each call sees new values") == "every_call";
  const auto& known = classes_of(tensor.dtype);
  tensor.classes = p.texts("classes", {known.front()}, "input classes, the first is the usual one");
  if (tensor.classes.empty()) p.fail("classes", "must name at least one class");
  check_words(p, "classes", tensor.classes, known);
  read_values(p, tensor);
  read_lines(p, tensor);
  return tensor;
}

void TaskReader::read_lines(Params& p, TensorSpec& tensor) {
  for (const std::string& word :
       p.texts("numbers", {}, "values to be drawn among others, such as thresholds")) {
    if (const auto number = number_from<double>(word); number && std::isfinite(*number)) {
      tensor.numbers.push_back(*number);
    } else {
      p.fail("numbers", fmt::format("holds '{}', which is not a finite number", word));
    }
  }
  tensor.avoid = p.texts("avoid", {}, "kinds of lines that are not drawn");
  check_words(p, "avoid", tensor.avoid, line_kinds_of(tensor.dtype));
}

void TaskReader::read_values(Params& p, TensorSpec& tensor) {
  if (is_float(tensor.dtype)) {
    tensor.scale =
        p.real("scale", 1, {0x1p-40, 0x1p40}, "a power of two by which all values are multiplied");
    int exponent = 0;
    if (std::frexp(tensor.scale, &exponent) != 0.5)
      p.fail("scale", fmt::format("= {} is not a power of two", tensor.scale));
  } else if (tensor.dtype == Dtype::boolean) {
    tensor.range_high = *Expression::parse("2");
  } else {
    read_int_range(p, tensor);
  }
}

void TaskReader::read_int_range(Params& p, TensorSpec& tensor) {
  const auto range = p.texts("range", {}, "least value, then one past the largest");
  if (range.size() != 2) {
    tensor.range_high = *Expression::parse("1");
    return p.fail("range", "must be [low, expression one past the largest value]");
  }
  const Expression low = expression(p, "range", range[0]);
  const auto value = low.evaluate([](std::string_view) { return std::optional<std::int64_t>(); });
  const DtypeRow& row = row_of(tensor.dtype);
  if (!value || *value < row.least || *value > row.most) {
    p.fail("range", fmt::format("= [{}, ..] does not begin with an integer of {}, [{}, {}]",
                                range[0], row.name, row.least, row.most));
  } else {
    tensor.range_low = *value;
  }
  tensor.range_high = expression(p, "range", range[1]);
  for (const std::string& word : p.texts("marks", {}, "values outside the range, as of padding")) {
    const auto mark = number_from<std::int64_t>(word);
    if (!mark || *mark < row.least || *mark > row.most) {
      p.fail("marks", fmt::format("holds '{}', which is not an integer of {}, [{}, {}]", word,
                                  row.name, row.least, row.most));
    }
    tensor.marks.push_back(mark.value_or(0));
  }
}

void TaskReader::read_signature() {
  task_.signature = top_.texts("signature", {}, "order of the ABI: inputs, outputs, variable axes");
  std::vector<TensorSpec> ordered;
  int stage = 0;  // inputs, outputs, axes
  std::set<std::string> seen;
  for (const std::string& name : task_.signature) {
    if (!seen.insert(name).second) top_.fail("signature", fmt::format("names '{}' twice", name));
    const TensorSpec* spec = tensor(name);
    if (spec == nullptr && !is_variable(name)) {
      top_.fail("signature",
                fmt::format("names '{}', which is no tensor and no variable axis", name));
      continue;
    }
    const int wanted = spec == nullptr ? 2 : spec->output ? 1 : 0;
    if (wanted < stage) {
      top_.fail("signature",
                fmt::format("has '{}' too late: inputs, then outputs, then axes", name));
    }
    stage = std::max(stage, wanted);
    if (spec != nullptr)
      ordered.push_back(*spec);
    else
      task_.axis_arguments.push_back(name);
  }
  for (const TensorSpec& spec : task_.tensors) {
    if (!seen.contains(spec.name))
      top_.fail("signature", fmt::format("lacks tensor '{}'", spec.name));
  }
  for (const std::string& axis : task_.axes) {
    if (is_variable(axis) && !seen.contains(axis)) {
      top_.fail("signature", fmt::format("lacks axis '{}'", axis));
    }
  }
  if (task_.signature.size() > most_arguments) {
    top_.fail("signature", fmt::format("has {} arguments, at most {} are allowed",
                                       task_.signature.size(), most_arguments));
  }
  if (ordered.size() == task_.tensors.size()) task_.tensors = std::move(ordered);
}

}  // namespace ke
