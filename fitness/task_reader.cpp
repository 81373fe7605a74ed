// Reads task.yaml: every option once, then the cross checks. Errors gather in the log.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "core/codec.hpp"
#include "core/params.hpp"
#include "core/text.hpp"
#include "fitness/content/generate.hpp"
#include "fitness/task.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_axis = std::int64_t{1} << 40;
constexpr std::int64_t largest_tensor_bytes = std::int64_t{1} << 36;
constexpr std::size_t most_arguments = 16;
constexpr std::size_t most_headers = 1000;

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class TaskReader {
 public:
  TaskReader(const Node& document, const std::string& folder)
      : folder_(folder), top_(&document, "", log_) {}

  Result<Task> read() {
    task_.folder = folder_;
    read_head();
    read_axes();
    read_tensors();
    read_signature();
    read_rules();
    read_costs();
    read_files();
    read_workloads();
    log_.report_unknown();
    if (!log_.errors.empty()) {
      return Error{Failure::config, fmt::format("{}", fmt::join(log_.errors, "\n"))};
    }
    task_.content_hash = content_hash();
    return std::move(task_);
  }

 private:
  void read_head();
  void read_axes();
  void read_tensors();
  TensorSpec read_tensor(Params p, const std::string& name, bool output);
  void read_int_range(Params& p, TensorSpec& tensor);
  void read_signature();
  void read_rules();
  void read_permuted(Params& p);
  std::vector<ScaleRule> read_effects(Params effects);
  void read_costs();
  void read_files();
  void read_kernels();
  std::string named_file(Params& p, std::string_view key, const std::string& file);
  void read_include_dir();
  void read_workloads();
  void read_workload(Params p);
  void check_sizes(Params& p, const Workload& workload);
  void check_roles();
  Expression expression(Params& p, std::string_view key, const std::string& text);
  const TensorSpec* tensor(std::string_view name) const;
  bool is_axis(std::string_view name) const { return contains(task_.axes, name); }
  bool is_variable(const std::string& name) const {
    return is_axis(name) && !task_.constants.contains(name);
  }
  Digest content_hash() const;

  std::string folder_;
  ParamLog log_;
  Params top_;
  Task task_;
  std::map<std::string, std::string> files_;  ///< path as named -> content, for the hash
  std::set<std::string> scaled_;
};

Expression TaskReader::expression(Params& p, std::string_view key, const std::string& text) {
  auto parsed = Expression::parse(text);
  if (!parsed) {
    p.fail(key, parsed.error().message);
    return *Expression::parse("1");
  }
  for (const std::string& name : parsed->names()) {
    if (is_axis(name)) continue;
    const std::string near = closest(name, task_.axes);
    p.fail(key, fmt::format("names the unknown axis '{}'{}", name,
                            near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  return *std::move(parsed);
}

const TensorSpec* TaskReader::tensor(std::string_view name) const {
  for (const TensorSpec& spec : task_.tensors) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

void TaskReader::read_head() {
  const std::string schema = top_.required_text("schema", "version of the format");
  if (!schema.empty() && schema != "kernelevolve-task/1") {
    top_.fail("schema", fmt::format("= {} is not kernelevolve-task/1", schema));
  }
  task_.name = top_.required_text("name", "name of the task");
  task_.description = top_.text("description", "", "what the task computes, in a line");
  task_.op_type = top_.text("op_type", "", "kind of operation, as in flashinfer-bench");
  task_.threads = top_.integer("threads", 1, {1, 1024}, "threads of a kernel and its baselines");
  // Means over workloads are geometric: a ratio and its inverse must weigh the same.
  top_.choice("aggregate", "geometric_mean", {"geometric_mean"}, "mean over bench workloads");
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
  for (const std::string& text : p.texts("shape", {}, "lengths, expressions over axes")) {
    tensor.shape.push_back(expression(p, "shape", text));
  }
  if (tensor.shape.empty()) p.fail("shape", "is missing");
  const bool is_int =
      p.choice("dtype", "float32", {"float32", "int32"}, "type of the elements") == "int32";
  tensor.dtype = is_int ? Dtype::int32 : Dtype::float32;
  tensor.align = p.integer("align", 64, {4, 4096}, "alignment in bytes, a power of two");
  if (!std::has_single_bit(static_cast<std::uint64_t>(tensor.align))) {
    p.fail("align", fmt::format("= {} is not a power of two", tensor.align));
  }
  if (output) return tensor;
  tensor.changes = p.choice("changes", "every_call", {"every_call", "never"},
                            "whether each call sees new values") == "every_call";
  const auto& known = is_int ? int_classes() : float_classes();
  tensor.classes = p.texts("classes", {known.front()}, "input classes, the first is the usual one");
  if (tensor.classes.empty()) p.fail("classes", "must name at least one class");
  for (const std::string& word : tensor.classes) {
    if (contains(known, word)) continue;
    const std::string near = closest(word, known);
    p.fail("classes",
           fmt::format("names '{}', which is not one of {}{}", word, fmt::join(known, " | "),
                       near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (is_int) read_int_range(p, tensor);
  return tensor;
}

void TaskReader::read_int_range(Params& p, TensorSpec& tensor) {
  const auto range = p.texts("range", {}, "least value, then one past the largest");
  if (range.size() != 2) {
    tensor.range_high = *Expression::parse("1");
    return p.fail("range", "must be [low, expression one past the largest value]");
  }
  const Expression low = expression(p, "range", range[0]);
  const auto value = low.evaluate([](std::string_view) { return std::optional<std::int64_t>(); });
  if (!value || *value < INT32_MIN || *value > INT32_MAX) {
    p.fail("range", fmt::format("= [{}, ..] does not begin with a 32-bit integer", range[0]));
  } else {
    tensor.range_low = *value;
  }
  tensor.range_high = expression(p, "range", range[1]);
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

void TaskReader::read_rules() {
  const std::string nonfinite =
      top_.choice("nonfinite", "unspecified", {"propagate", "row_nan", "unspecified"},
                  "what NaN and infinities in inputs do to outputs");
  task_.nonfinite = nonfinite == "propagate" ? Nonfinite::propagate
                    : nonfinite == "row_nan" ? Nonfinite::row_nan
                                             : Nonfinite::unspecified;
  const std::string subnormals = top_.choice("subnormals", "flush", {"flush", "exact"},
                                             "whether results below FLT_MIN may be zero");
  task_.subnormals = subnormals == "flush" ? Subnormals::flush : Subnormals::exact;
  Params transforms = top_.section("transforms");
  read_permuted(transforms);
  task_.scale_rules = read_effects(transforms.section("scale"));
  task_.sign_rules = read_effects(transforms.section("sign"));
  Params tolerance = top_.section("tolerance");
  if (!top_.has("tolerance")) top_.fail("tolerance", "is missing");
  task_.tolerance.relative = tolerance.real("relative", 1e-5, {0, 0.5}, "times |expected|");
  task_.tolerance.relative_l2 =
      tolerance.real("relative_l2", 1e-5, {0, 0.5}, "norm of the error over norm of the expected");
  task_.tolerance.scale = tolerance.real("scale", 0, {0, 0.1}, "times the rms of the expected row");
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
    if (from == nullptr || from->output || from->dtype != Dtype::float32) {
      effects.fail(input, "is no float32 input");
    }
    Params degrees = effects.section(input);
    for (const TensorSpec& spec : task_.tensors) {
      if (!spec.output) continue;
      if (!degrees.has(spec.name))
        degrees.fail(spec.name, "is missing: its degree, 0 for no effect");
      const auto degree =
          degrees.integer(spec.name, 0, {-8, 8}, "degree of the effect on this output");
      if (degree != 0 && spec.dtype != Dtype::float32)
        degrees.fail(spec.name, "is no float32 output");
      rules.push_back({input, spec.name, degree});
    }
  }
  return rules;
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

std::string TaskReader::named_file(Params& p, std::string_view key, const std::string& file) {
  if (file.empty()) return {};
  if (fs::path(file).is_absolute()) {
    p.fail(key, fmt::format("= {} must be relative to the task's folder", file));
    return {};
  }
  auto text = read_file(fs::path(folder_) / file);
  if (!text) {
    p.fail(key, fmt::format("= {} is not a file that can be read", file));
    return {};
  }
  files_[file] = *text;
  return *std::move(text);
}

void TaskReader::read_files() {
  const std::string reference = top_.required_text("reference", "the oracle, in double precision");
  task_.reference_source = named_file(top_, "reference", reference);
  read_kernels();
  Params baselines = top_.section("baselines");
  for (const std::string& name : baselines.keys()) {
    const std::string file = baselines.required_text(name, "a trusted kernel to compare with");
    task_.baselines.emplace_back(name, named_file(baselines, name, file));
  }
  read_include_dir();
}

void TaskReader::read_kernels() {
  Params kernels = top_.section("kernels");
  std::vector<std::pair<std::string, std::string>> list;  // name, file
  for (const std::string_view name : {"naive", "anchor"}) {
    list.emplace_back(
        name, kernels.required_text(
                  name, name == "naive" ? "the plainest kernel" : "the best structured seed"));
  }
  for (const std::string& file : kernels.texts("others", {}, "further seeds")) {
    list.emplace_back(fs::path(file).stem().string(), file);
  }
  for (const auto& [name, file] : list) {
    const std::string key = name == "naive" || name == "anchor" ? name : "others";
    if (task_.kernel_source(name) != nullptr) {
      kernels.fail(key, fmt::format("names kernel '{}' twice", name));
    }
    const std::string stem = fs::path(file).stem().string();
    task_.kernels.emplace_back(name, named_file(kernels, key, file));
    if (stem != name) task_.stems.emplace_back(stem, name);
  }
}

void TaskReader::read_include_dir() {
  const std::string given = top_.text("include", "", "folder of headers for kernels");
  const fs::path folder(folder_);
  fs::path found;
  for (const fs::path& path :
       {folder / "include", folder / "../include", folder / "../../include"}) {
    if (found.empty() && fs::is_directory(path)) found = path;
  }
  if (!given.empty()) {
    found = folder / given;
    if (!fs::is_directory(found))
      return top_.fail("include", fmt::format("= {} is no folder", given));
  }
  if (found.empty()) return;
  task_.include_dir = found.lexically_normal().string();
  std::error_code ignored;
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(found, ignored)) {
    if (!entry.is_regular_file()) continue;
    if (++count > most_headers) {
      return top_.fail("include",
                       fmt::format("= {} holds more than {} files", given, most_headers));
    }
    const std::string name = "include/" + fs::relative(entry.path(), found).generic_string();
    files_[name] = read_file(entry.path()).value_or("");
  }
}

void TaskReader::read_workloads() {
  for (Params& p : top_.sections("workloads")) read_workload(p);
  check_roles();
}

void TaskReader::read_workload(Params p) {
  Workload workload;
  std::vector<std::string> parts;
  for (const std::string& axis : task_.axes) {
    if (!is_variable(axis)) continue;
    if (!p.has(axis)) p.fail(axis, "is missing");
    workload.axes[axis] = p.integer(axis, 1, {1, largest_axis}, "length of this axis");
    parts.push_back(fmt::format("{}={}", axis, workload.axes[axis]));
  }
  if (!p.has("role")) p.fail("role", "is missing");
  const std::vector<std::string> roles = {"test", "bench", "validation", "holdout"};
  const std::string role = p.choice("role", "test", roles, "what the workload is for");
  workload.role = static_cast<Role>(std::find(roles.begin(), roles.end(), role) - roles.begin());
  workload.label = fmt::format("{}", fmt::join(parts, " "));
  for (const Workload& other : task_.workloads) {
    if (other.axes == workload.axes)
      p.fail("role", fmt::format("repeats workload {}", workload.label));
  }
  if (log_.errors.empty()) check_sizes(p, workload);
  task_.workloads.push_back(std::move(workload));
}

void TaskReader::check_sizes(Params& p, const Workload& workload) {
  for (const TensorSpec& spec : task_.tensors) {
    const auto count = task_.elements(spec, workload);
    if (!count) {
      p.fail("role", count.error().message);
    } else if (*count > largest_tensor_bytes / static_cast<std::int64_t>(bytes_of(spec.dtype))) {
      p.fail("role", fmt::format("makes tensor '{}' larger than 64 GiB", spec.name));
    }
    if (spec.output || spec.dtype != Dtype::int32) continue;
    const auto high = task_.value(spec.range_high, workload);
    if (!high || *high <= spec.range_low || *high > std::int64_t{INT32_MAX} + 1) {
      p.fail("role", fmt::format("leaves no 32-bit range for '{}': [{}, {})", spec.name,
                                 spec.range_low, spec.range_high.text()));
    }
  }
  const auto row = task_.value(task_.row, workload);
  if (!row || *row < 1) p.fail("role", fmt::format("makes row '{}' less than 1", task_.row.text()));
  for (const Expression* cost : {&task_.bytes, &task_.flops}) {
    const auto value = task_.value(*cost, workload);
    if (!value) p.fail("role", value.error().message);
  }
}

void TaskReader::check_roles() {
  const auto count = [&](Role role) {
    return std::count_if(task_.workloads.begin(), task_.workloads.end(),
                         [&](const Workload& workload) { return workload.role == role; });
  };
  const auto need = [&](Role role, std::ptrdiff_t least) {
    if (count(role) >= least) return;
    top_.fail("workloads", fmt::format("has {} of role {}, at least {} needed", count(role),
                                       to_string(role), least));
  };
  need(Role::test, 1);
  need(Role::bench, 1);
  need(Role::holdout, 3);
}

Digest TaskReader::content_hash() const {
  auto values = log_.values;
  values.erase("description");
  Encoder out;
  out("task/1")(values)(files_);
  return out.digest();
}

}  // namespace

Result<Task> read_task(const Node& document, const std::string& folder) {
  return TaskReader(document, folder).read();
}

}  // namespace ke
