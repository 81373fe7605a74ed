#include "fitness/host/python_baseline.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "fitness/host/baseline_layout.hpp"

namespace ke {
namespace {

/// A way to compute a reference. `mode`: of torch.compile; "" = not compiled.
struct Form {
  std::string_view name, mode;
  bool tf32 = false;
};
constexpr Form numpy = {"numpy", ""};
constexpr Form eager = {"pytorch_eager", ""};
constexpr Form compiled = {"pytorch_compiled", "default"};
constexpr Form autotuned = {"pytorch_autotuned", "max-autotune-no-cudagraphs"};
constexpr Form eager_tf32 = {"pytorch_eager_tf32", "", true};
constexpr Form compiled_tf32 = {"pytorch_compiled_tf32", "default", true};

const Form* form_of(std::string_view language) {
  for (const Form* form : {&numpy, &eager, &compiled, &autotuned, &eager_tf32, &compiled_tf32}) {
    if (form->name == language) return form;
  }
  return nullptr;
}

bool has_float32(const Task& task) {
  return std::ranges::find(task.tensors, Dtype::float32, &TensorSpec::dtype) != task.tensors.end();
}

constexpr std::string_view failure_file = "failure";  // as serve_baseline.py names it

Json shapes_of(const std::vector<const Shapes*>& all) {
  Json list = Json::array();
  std::set<std::vector<std::int64_t>> known;
  for (const Shapes* shapes : all) {
    if (!known.insert(shapes->axis_arguments).second) continue;
    Json dims = Json::array();
    for (const TensorShape& tensor : shapes->tensors) dims.push_back(tensor.dims);
    list.push_back({{"axes", shapes->axis_arguments}, {"dims", dims}});
  }
  return list;
}

Json mappings_of(const AddressPlan& plan) {
  Json list = Json::array();
  for (const wire::Mapping& piece : plan.mappings) {
    list.push_back({{"writable", piece.writable != 0},
                    {"offset", piece.file_offset},
                    {"bytes", piece.bytes},
                    {"address", piece.address_offset}});
  }
  return list;
}

std::string layout_text(const Task& task, std::string_view mode,
                        const std::vector<const Shapes*>& shapes, const AddressPlan& plan) {
  const Json numbers = {
      {"input_fd", wire::input_fd},      {"output_fd", wire::output_fd},
      {"orders_fd", wire::orders_fd},    {"max_arguments", wire::max_arguments},
      {"prepare", wire::Order::prepare}, {"stop", wire::Order::stop},
      {"deliver", wire::Order::deliver}, {"copy_inputs", wire::Order::copy_inputs}};
  return json_text({{"wire", numbers},
                    {"threads", task.threads},
                    {"compile_mode", mode},
                    {"axes", task.axis_arguments},
                    {"tensors", baseline_tensors(task)},
                    {"shapes", shapes_of(shapes)},
                    {"mappings", mappings_of(plan)}});
}

}  // namespace

std::vector<std::string> python_baselines(const Task& task, const PythonHome& python) {
  std::vector<std::string> names;
  if (!is_python(task.reference_file)) return names;
  const bool of_torch = uses_torch(task.reference_source);
  names.emplace_back(of_torch ? eager.name : numpy.name);
  if (!of_torch) return names;
  const bool tf32 = python.tf32 && has_float32(task) && !task.tf32;
  if (python.compiles) names.emplace_back(compiled.name);
  if (python.compiles && python.autotunes) names.emplace_back(autotuned.name);
  if (tf32) names.emplace_back(eager_tf32.name);
  if (tf32 && python.compiles) names.emplace_back(compiled_tf32.name);
  return names;
}

std::string anchor_stand_in(const Task& task) {
  const std::vector<std::string> names = python_baselines(task, {});
  return names.empty() || !task.kernels.empty() ? "" : names.front();
}

void describe_python_baselines(const Task& task, const PythonHome& python, EvaluatorInfo& info) {
  std::vector<std::string> names = python_baselines(task, python);
  if (names.empty()) return;
  if (task.kernels.empty()) names.front() = "anchor";
  info.baselines.insert(info.baselines.end(), names.begin(), names.end());
  info.toolchain += "; " + python.version;
}

std::optional<Kernel> find_python_baseline(const Task& task, const PythonHome& python,
                                           std::string_view name) {
  const std::vector<std::string> names = python_baselines(task, python);
  if (names.empty()) return std::nullopt;
  const bool stands_in = name == "anchor" && task.kernels.empty();
  const auto found = std::ranges::find(names, stands_in ? names.front() : name);
  if (found == names.end()) return std::nullopt;
  Kernel kernel;
  kernel.language = *found;
  kernel.name = *found;
  kernel.source = task.reference_source;
  return kernel;
}

std::string_view compile_mode(std::string_view language) {
  const Form* const form = form_of(language);
  return form == nullptr ? "" : form->mode;
}

bool uses_tf32(std::string_view language) {
  const Form* const form = form_of(language);
  return form != nullptr && form->tf32;
}

Json baseline_tensors(const Task& task) {
  Json tensors = Json::array();
  for (const TensorSpec& tensor : task.tensors) {
    tensors.push_back({{"dtype", to_string(tensor.dtype)},
                       {"output", tensor.output},
                       {"unchanging", !tensor.output && !tensor.changes}});
  }
  return tensors;
}

bool is_python_baseline(std::string_view language) { return form_of(language) != nullptr; }

Result<std::unique_ptr<PythonBaseline>> PythonBaseline::create(
    const Bench& bench, const std::string& language, const std::string& source,
    const std::vector<const Shapes*>& shapes, const AddressPlan& plan) {
  KE_CHECK(bench.python != nullptr && bench.python_folder != nullptr);
  KE_TRY(auto source_file, TemporaryFile::write(bench.scratch, ".py", source));
  KE_TRY(auto layout,
         TemporaryFile::write(bench.scratch, ".json",
                              layout_text(*bench.task, compile_mode(language), shapes, plan)));
  const JobFolder& folder = *bench.python_folder;
  std::error_code ignored;
  std::filesystem::remove(folder.file(failure_file), ignored);  // of an earlier process
  std::unique_ptr<PythonBaseline> made(
      new PythonBaseline(std::move(source_file), std::move(layout), folder));
  PythonCommand command = python_command(*bench.python, "serve_baseline.py",
                                         {made->source_.path(), made->layout_.path()});
  made->program_ = {std::move(command.argv), std::move(command.readable), folder.path()};
  return made;
}

std::string PythonBaseline::failure() const {
  const auto text = folder_.read(failure_file, std::size_t{1} << 16);
  return text ? *text : "";
}

}  // namespace ke
