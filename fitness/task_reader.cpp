// Reads a task in order: the head of task.yaml, its axes, rules and costs.

#include "fitness/task_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/codec.hpp"
#include "core/signature.hpp"
#include "core/text.hpp"

namespace ke {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<std::string_view> dtypes_of(std::string_view language) {
  std::vector<std::string_view> names;
  std::ranges::copy_if(dtype_names, std::back_inserter(names),
                       [&](std::string_view name) { return !c_type(language, name).empty(); });
  return names;
}

/// Titles of the languages whose kernels support a dtype.
std::vector<std::string> languages_with(Dtype dtype) {
  std::vector<std::string> titles;
  for (const Language& language : languages()) {
    if (language.kernels == language.name && !c_type(language.name, to_string(dtype)).empty())
      titles.push_back(language.title);
  }
  return titles;
}

}  // namespace

Result<Task> TaskReader::read() {
  task_.folder = folder_;
  read_head();
  read_axes();
  read_tensors();
  read_signature();
  read_rules();
  read_costs();
  read_files();
  check_dtypes();
  check_language();
  read_workloads();
  read_ranges();
  log_.report_unknown();
  if (!log_.errors.empty()) {
    return Error{Failure::config, fmt::format("{}", fmt::join(log_.errors, "\n"))};
  }
  task_.content_hash = content_hash();
  return std::move(task_);
}

bool TaskReader::is_axis(std::string_view name) const { return contains(task_.axes, name); }

bool TaskReader::is_variable(const std::string& name) const {
  return is_axis(name) && !task_.constants.contains(name);
}

Expression TaskReader::expression(Params& p, std::string_view key, const std::string& text) {
  auto parsed = Expression::parse(text);
  if (!parsed) {
    p.fail(key, parsed.error().message);
    return *Expression::parse("1");
  }
  for (const std::string& name : parsed->names()) {
    if (is_axis(name)) continue;
    p.fail(key, fmt::format("names the unknown axis '{}'{}", name, suggestion(name, task_.axes)));
  }
  return *std::move(parsed);
}

const TensorSpec* TaskReader::tensor(std::string_view name) const {
  const auto found = std::ranges::find(task_.tensors, name, &TensorSpec::name);
  return found == task_.tensors.end() ? nullptr : &*found;
}

void TaskReader::read_head() {
  const std::string schema = top_.required_text("schema", "version of the format");
  if (!schema.empty() && schema != "kernelevolve-task/1") {
    top_.fail("schema", fmt::format("= {} is not kernelevolve-task/1", schema));
  }
  task_.name = top_.required_text("name", "name of the task");
  task_.description = top_.text("description", "", "what the task computes, in a line");
  task_.source = top_.text("source", "", "where the task comes from");
  task_.licence = top_.text("licence", "", "terms of what was taken from there");
  task_.category = top_.text("category", "", "group within its collection, as 'level 1'");
  task_.op_type = top_.text("op_type", "", "kind of operation, as in flashinfer-bench");
  task_.threads = top_.integer("threads", 1, {1, 1024}, "threads of a kernel and its baselines");
  task_.libraries =
      top_.choice("libraries", "forbidden", {"forbidden", "allowed"},
                  "whether kernels may call libraries: the C interface of BLAS") == "allowed";
  task_.tf32 = top_.choice("math", "float32", {"float32", "tf32"},
                           "in which products of float32 may be taken") == "tf32";
  // In geometric means a ratio and its inverse weigh the same.
  task_.mean.total_time =
      top_.choice("aggregate", "geometric_mean", {"geometric_mean", "total_time"},
                  "mean of speedups over the workloads of a role") == "total_time";
}

void TaskReader::read_axes() {
  Params axes = top_.section("axes");
  for (const std::string& name : axes.keys()) {
    task_.axes.push_back(name);
    const Node* node = axes.raw(name);
    if (node != nullptr && node->kind == Node::Kind::scalar && node->scalar == "var") {
      axes.text(name, "var", "var, or the length of a fixed axis");
    } else {
      task_.constants[name] =
          axes.integer(name, 1, {1, largest_axis}, "var, or the length of a fixed axis");
    }
  }
}

void TaskReader::read_rules() {
  task_.nonfinite =
      top_.choice_of<Nonfinite>("nonfinite", "unspecified", {"propagate", "row_nan", "unspecified"},
                                "what NaN and infinities in inputs do to outputs");
  task_.subnormals = top_.choice_of<Subnormals>(
      "subnormals", "flush", {"flush", "exact"},
      "flush: results below FLT_MIN may be zero, and no input lies there");
  Params transforms = top_.section("transforms");
  read_permuted(transforms);
  task_.scale_rules = read_effects(transforms.section("scale"));
  task_.sign_rules = read_effects(transforms.section("sign"));
  read_scaled_together(transforms);
  if (!top_.has("tolerance")) top_.fail("tolerance", "is missing");
  read_tolerance(top_.section("tolerance"));
}

void TaskReader::read_tolerance(Params p) {
  Tolerance& tolerance = task_.tolerance;
  tolerance.relative = p.real("relative", 1e-5, {0, 0.5}, "times |expected|");
  tolerance.relative_l2 =
      p.real("relative_l2", 1e-5, {0, 0.5}, "norm of the error over norm of the expected");
  tolerance.scale = p.real("scale", 0, {0, 0.1}, "times the rms of the expected row");
  tolerance.absolute = p.real("absolute", 0, {0, 1e30}, "of the error itself");
  tolerance.matched_ratio =
      p.real("matched_ratio", 1, {1e-3, 1}, "share of an output's elements that must be within");
  const double none = tolerance.max_error;
  tolerance.max_error =
      p.real("max_error", none, {1e-30, 1e30}, "most that any element may be off");
  if (!p.has("relative_l2") && (tolerance.absolute > 0 || tolerance.matched_ratio < 1))
    tolerance.relative_l2 = none;
}

void TaskReader::read_permuted(Params& p) {
  task_.permute_axes = p.texts("permute", {}, "axes whose rotation in inputs rotates the outputs");
  for (const std::string& axis : task_.permute_axes) {
    if (!is_axis(axis)) p.fail("permute", fmt::format("names the unknown axis '{}'", axis));
    for (const TensorSpec& spec : task_.tensors) {
      for (const Expression& length : spec.shape) {
        // A rotation is defined only where the axis is a whole dimension.
        if (length.text() != axis && contains(length.names(), axis)) {
          p.fail("permute", fmt::format("names '{}', which is only part of dimension '{}' of '{}'",
                                        axis, length.text(), spec.name));
        }
      }
    }
  }
}

std::vector<ScaleRule> TaskReader::read_effects(Params effects) {
  std::vector<ScaleRule> rules;
  for (const std::string& input : effects.keys()) {
    const TensorSpec* from = tensor(input);
    if (from == nullptr || from->output || !is_float(from->dtype)) {
      effects.fail(input, "is no floating-point input");
    }
    Params degrees = effects.section(input);
    for (const TensorSpec& spec : task_.tensors) {
      if (!spec.output) continue;
      if (!degrees.has(spec.name))
        degrees.fail(spec.name, "is missing: its degree, 0 for no effect");
      const auto degree =
          degrees.integer(spec.name, 0, {-8, 8}, "degree of the effect on this output");
      if (degree != 0 && !is_float(spec.dtype))
        degrees.fail(spec.name, "is no floating-point output");
      rules.push_back({input, spec.name, degree});
    }
  }
  return rules;
}

void TaskReader::read_scaled_together(Params& transforms) {
  constexpr const char* key = "scale_together";
  task_.scaled_together =
      transforms.texts(key, {}, "inputs whose multiplication by one 2^k changes no output");
  for (const std::string& name : task_.scaled_together) {
    const TensorSpec* input = tensor(name);
    const bool fits = input != nullptr && !input->output && input->changes;
    if (!fits || !is_float(input->dtype)) {
      transforms.fail(key, fmt::format("names '{}', no floating-point input with changes: "
                                       "every_call",
                                       name));
    }
    const auto named = [&](const ScaleRule& rule) { return rule.input == name; };
    if (std::ranges::any_of(task_.scale_rules, named))
      transforms.fail(key, fmt::format("names '{}', which 'scale' names too", name));
    if (std::ranges::count(task_.scaled_together, name) > 1)
      transforms.fail(key, fmt::format("names '{}' twice", name));
  }
}

void TaskReader::read_costs() {
  std::string last = "1";
  for (const TensorSpec& spec : task_.tensors) {
    if (!spec.output || spec.shape.empty()) continue;
    last = spec.shape.back().text();
    break;
  }
  task_.row = expression(top_, "row", top_.text("row", last, "elements of one output row"));
  Params cost = top_.section("cost");
  task_.bytes = expression(cost, "bytes", cost.text("bytes", "0", "compulsory bytes moved"));
  task_.flops =
      expression(cost, "flops", cost.text("flops", "0", "operations of the usual algorithm"));
  const std::string least = cost.text("flops_min", "", "operations that no algorithm avoids");
  if (!least.empty()) task_.flops_min = expression(cost, "flops_min", least);
}

void TaskReader::check_language() {
  if (task_.tf32 && task_.language != "cuda") {
    top_.fail("math", fmt::format("= tf32 is for kernels in CUDA: those in {} have no TF32",
                                  language_of_kernels(task_.language).title));
  }
  // OpenBLAS starts as many threads of its own when it is loaded, and they count as the kernel's.
  if (task_.libraries && task_.threads > 1)
    top_.fail("libraries", "= allowed is for kernels of one thread: set threads to 1");
  // Device code calls no library of the host, and a chip's kernels are linked with none.
  if (!task_.libraries || task_.language == "cpp") return;
  top_.fail("libraries", fmt::format("= allowed is for kernels in C++: those in {} are device code",
                                     language_of_kernels(task_.language).title));
}

// C++ compilers differ in half types, and some DSLs lack other types.
void TaskReader::check_dtypes() {
  std::vector<std::string> used = {task_.language};
  for (const auto& port : task_.ports) used.push_back(port.first);
  for (const TensorSpec& spec : task_.tensors) {
    for (const std::string& language : used) {
      if (!c_type(language, to_string(spec.dtype)).empty()) continue;
      top_.fail(spec.output ? "outputs" : "inputs",
                fmt::format("has '{}' of {}, which kernels in {} do not take: they take {}; {} is "
                            "taken by {}",
                            spec.name, to_string(spec.dtype), language_of_kernels(language).title,
                            fmt::join(dtypes_of(language), ", "), to_string(spec.dtype),
                            fmt::join(languages_with(spec.dtype), ", ")));
    }
  }
}

// The hash omits keys without effect: ports that a task does not have, and inputs that it does not
// scale or does not scale together. Otherwise each new language or rule would change the hash of
// every task, and no stored run would replay.
Digest TaskReader::content_hash() const {
  auto values = log_.values;
  for (const char* key :  // these decide no verdict
       {"description", "kernels.found", "reference_limit", "source", "licence", "category"}) {
    values.erase(key);
  }
  if (!task_.libraries) values.erase("libraries");
  if (!task_.tf32) values.erase("math");
  if (task_.tolerance.absolute == 0) values.erase("tolerance.absolute");
  if (task_.tolerance.matched_ratio == 1) values.erase("tolerance.matched_ratio");
  if (std::isinf(task_.tolerance.max_error)) values.erase("tolerance.max_error");
  for (const TensorSpec& spec : task_.tensors) {
    if (spec.scale == 1) values.erase("inputs." + spec.name + ".scale");
    if (spec.numbers.empty()) values.erase("inputs." + spec.name + ".numbers");
    if (spec.avoid.empty()) values.erase("inputs." + spec.name + ".avoid");
    if (spec.marks.empty()) values.erase("inputs." + spec.name + ".marks");
  }
  for (const Language& language : languages()) {
    if (!language.port_of.empty() && task_.language_of(language.name) != language.name) {
      values.erase("kernels." + language.name);
    }
  }
  if (task_.scaled_together.empty()) values.erase("transforms.scale_together");
  // The hash covers the content of the headers, not their place on this machine.
  const auto include = values.find("include");
  if (include != values.end() && include->second.find('/') == 0) values.erase(include);
  Encoder out;
  out("task/1")(values)(files_);
  return out.digest();
}

Result<Task> read_task(const Node& document, const std::string& folder) {
  return TaskReader(document, folder).read();
}

}  // namespace ke
