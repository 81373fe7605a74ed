#include "experiments/dispatch/library_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "experiments/dispatch/library_text.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"
#include "experiments/text/json.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/task.hpp"

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
  return document_text(json);
}

namespace {

namespace fs = std::filesystem;

Error no_copy(const std::string& what, const std::error_code& code) {
  return Error{Failure::io, fmt::format("{}: cannot be copied: {}", what, code.message())};
}

}  // namespace

Result<void> copy_over(const std::string& from, const std::string& to) {
  std::error_code code;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, code);
  return code ? Result<void>(no_copy(from, code)) : Result<void>();
}

Result<void> claim_folder(const std::string& folder, const std::vector<std::string>& ours) {
  KE_TRY_VOID(make_folder(folder));
  const bool known = std::ranges::any_of(
      ours, [&](const std::string& name) { return fs::exists(folder + "/" + name); });
  std::error_code code;
  if (known || fs::is_empty(folder, code)) return {};
  return Error{Failure::usage, folder + " holds other things; name a new folder"};
}

namespace {

/// Folders of dispatch_folder() whose files a library holds.
std::vector<std::string> parts_of(const DispatchPlan& plan) {
  switch (plan.kind()) {
    case LibraryKind::processor: return {"common", "processor"};
    case LibraryKind::opencl: return {"common", "launched", "opencl"};
    default: return {"common", "launched", "gpu"};
  }
}

Result<void> write_sources(const std::string& folder, const Task& task, const DispatchPlan& plan) {
  KE_TRY_VOID(copy_over(formula_file(), folder + "/formula.hpp"));
  for (const std::string& part : parts_of(plan)) {
    KE_TRY_VOID(copy_over(dispatch_folder() + "/" + part, folder));
  }
  KE_TRY_VOID(write_atomically(folder + "/" + plan.symbol + ".h", header_text(task, plan)));
  KE_TRY_VOID(write_atomically(folder + "/dispatch.cpp", dispatch_text(task, plan)));
  if (plan.kind() == LibraryKind::processor) {
    return write_atomically(folder + "/kernels.sh", kernels_text(plan, !task.include_dir.empty()));
  }
  KE_TRY_VOID(write_atomically(folder + "/code.S", code_text(plan)));
  return write_atomically(folder + "/library.sh", names_script(task, plan));
}

}  // namespace

Result<void> write_library(const std::string& folder, const Task& task, const DispatchPlan& plan) {
  std::error_code code;
  fs::remove_all(folder + "/variants", code);
  KE_TRY_VOID(write_plan(folder, plan));
  const bool headers = !task.include_dir.empty();
  if (headers) KE_TRY_VOID(copy_over(task.include_dir, folder + "/include"));
  KE_TRY_VOID(write_atomically(folder + "/interface.json", interface_text(task)));
  KE_TRY_VOID(write_atomically(folder + "/" + reference_name(task), task.reference_source));
  KE_TRY_VOID(write_sources(folder, task, plan));
  return write_atomically(folder + "/README.md", readme_text(task, plan));
}

Result<std::string> build_library(const std::string& folder, const DispatchPlan& plan) {
  const std::string script = folder + "/build.sh";
  const ProgramAnswer answer = run_program({"sh", "-c", "exec sh \"$0\" 2>&1", script});
  const fs::path library = fs::path(folder) / ("lib" + plan.symbol + ".so");
  if (answer.code == 0) return fs::absolute(library).lexically_normal().string();
  return Error{Failure::device, fmt::format("{} failed:\n{}", script, answer.output)};
}

Result<Digest> hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Failure::io, path + ": cannot be read"};
  return sha256(std::string{std::istreambuf_iterator<char>(file), {}});
}

}  // namespace ke
