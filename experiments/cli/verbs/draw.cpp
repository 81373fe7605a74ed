#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "core/json.hpp"
#include "core/result.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/text/json.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/generate.hpp"

namespace ke::verbs {
namespace {

// Draws inputs as the judge does, for programs that make tasks and must know what the judge will
// call kernels with.

Result<std::vector<std::string>> words_of(const Json& tensor, const char* key,
                                          const std::vector<std::string>& known) {
  const auto words = tensor.value(key, std::vector<std::string>());
  for (const std::string& word : words) {
    if (std::ranges::find(known, word) != known.end()) continue;
    return Error{Failure::usage, fmt::format("draw: '{}' is none of the {} of {}", word, key,
                                             tensor.at("dtype").get<std::string>())};
  }
  return words;
}

Expression constant(std::int64_t value) { return *Expression::parse(fmt::format("{}", value)); }

Result<TensorSpec> spec_of(const Json& tensor) {
  TensorSpec spec;
  spec.name = tensor.at("name");
  const std::string type = tensor.at("dtype");
  const auto dtype = dtype_named(type);
  if (!dtype) return Error{Failure::usage, fmt::format("draw: there is no type '{}'", type)};
  spec.dtype = *dtype;
  for (const std::int64_t length : tensor.at("dims").get<std::vector<std::int64_t>>()) {
    spec.shape.push_back(constant(length));
  }
  if (spec.shape.empty()) spec.shape.push_back(constant(1));
  KE_TRY(spec.classes, words_of(tensor, "classes", classes_of(*dtype)));
  if (spec.classes.empty()) {
    return Error{Failure::usage, fmt::format("draw: '{}' has no class", spec.name)};
  }
  KE_TRY(spec.avoid, words_of(tensor, "avoid", line_kinds_of(*dtype)));
  spec.scale = tensor.value("scale", 1.0);
  spec.numbers = tensor.value("numbers", std::vector<double>());
  spec.range_low = tensor.value("low", std::int64_t{0});
  spec.marks = tensor.value("marks", std::vector<std::int64_t>());
  spec.range_high = constant(tensor.value("high", std::int64_t{2}));
  return spec;
}

Result<Task> task_of(const Json& tensors) {
  Task task;
  for (const Json& tensor : tensors) {
    KE_TRY(TensorSpec spec, spec_of(tensor));
    task.tensors.push_back(std::move(spec));
  }
  task.row = constant(1);
  return task;
}

Result<std::string> drawn(const Json& request) {
  KE_TRY(const Task task, task_of(request.at("tensors")));
  const Workload workload{.axes = {}, .role = Role::test, .label = "draw"};
  const std::int64_t number = request.at("case");
  const std::size_t one = number < 0 ? varied_case : static_cast<std::size_t>(number);
  SecretRandom random({request.at("seed").get<std::uint64_t>(), 0, 0, 0});
  const Reference no_reference;
  KE_TRY(const auto pool,
         ContentPool::create(
             task, workload, no_reference, random,
             {.entries = 1, .cases = {one}, .unchanging_anew = true, .inputs_only = true}));
  std::string bytes;
  for (const auto& input : pool.entries().front()->inputs) {
    bytes.append(reinterpret_cast<const char*>(input.data()), input.size());
  }
  return bytes;
}

/// The bytes of the tensors of a request, one after the other:
///     {"seed": 7, "case": 0, "tensors": [{"name": "x", "dtype": "float32", "dims": [3, 4],
///      "classes": ["normal", "large"], "scale": 0.5, "low": 0, "high": 10, "numbers": [0.25],
///      "avoid": ["offset"]}]}
/// `case` is the number of a choice of classes, or -1 for varied lines. Keys of a tensor after
/// `classes` may be missing. Errors: a key that is missing or of another type, an unknown class.
Result<std::string> draw_inputs(const Json& request) {
  try {
    return drawn(request);
  } catch (const Json::exception& error) {
    return Error{Failure::usage, fmt::format("draw: {}", error.what())};
  }
}

Result<int> run_draw(const Arguments&, Console& console) {
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line, nullptr, false);
    if (request.is_discarded()) return Error{Failure::usage, "draw: a line is no JSON: " + line};
    KE_TRY(const std::string bytes, draw_inputs(request));
    console.out << bytes << std::flush;
  }
  return exit_code::done;
}

}  // namespace

Verb draw() {
  return {
      .name = "draw",
      .positionals = "",
      .least = 0,
      .most = 0,
      .summary = "draw inputs as the judge does, for programs that make tasks",
      .details =
          "Each line of the standard input is a request in JSON, and the answer is the bytes of "
          "its\n"
          "tensors, one after the other:\n"
          "{\"seed\": 7, \"case\": 0, \"tensors\": [{\"name\": \"x\", \"dtype\": \"float32\",\n"
          "\"dims\": [3, 4], \"classes\": [\"normal\"], \"scale\": 1, \"low\": 0, \"high\": 10,\n"
          "\"numbers\": [], \"avoid\": []}]}\n"
          "Case i takes class i of every tensor, or its first where there are fewer; -1 gives "
          "every\n"
          "line of a tensor a kind of its own. 'import' chooses by these what the judge may draw.",
      .options = {},
      .example =
          "echo '{\"seed\": 1, \"case\": 0, \"tensors\": [{\"name\": \"x\", \"dtype\": "
          "\"float32\", \"dims\": [2], \"classes\": [\"normal\"]}]}' | kernelevolve draw | "
          "od -A n -t f4",
      .run = &run_draw};
}

}  // namespace ke::verbs
