#include "experiments/run/evaluators/oracle.hpp"

#include <fmt/core.h>

#include "experiments/run/child_program.hpp"
#include "experiments/run/evaluators/python.hpp"
#include "experiments/run/places.hpp"
#include "fitness/cpu/build_reference.hpp"
#include "fitness/reference/python_program.hpp"

namespace ke {
namespace {

std::string versions_of(const python::Installation& found) {
  std::string text = "python " + found.python;
  if (!found.numpy.empty()) text += ", numpy " + found.numpy;
  if (!found.torch.empty()) text += ", torch " + found.torch;
  return text;
}

}  // namespace

Result<std::shared_ptr<const PythonHome>> python_of(const Task& task) {
  if (!is_python(task.reference_file)) return std::shared_ptr<const PythonHome>();
  auto found = find_python("python3");
  if (!found) {
    return Error{Failure::device, fmt::format("{}: no python3 in PATH can be used: {}",
                                              task.reference_file, found.error().message)};
  }
  const std::string versions = versions_of(*found);
  return std::make_shared<const PythonHome>(PythonHome{std::move(found->program),
                                                       std::move(found->paths), references_folder(),
                                                       versions, found->torch_compiles, false});
}

Result<std::shared_ptr<const PythonHome>> cuda_python_of(const Task& task, bool autotuned) {
  KE_TRY(auto python, python_of(task));
  if (python == nullptr || !uses_torch(task.reference_source)) {
    return std::shared_ptr<const PythonHome>();
  }
  const ProgramAnswer answer = run_program(
      {python->program, "-c", "import torch; raise SystemExit(not torch.cuda.is_available())"});
  if (answer.code != 0) return std::shared_ptr<const PythonHome>();
  PythonHome home = *python;
  home.autotunes = autotuned;
  home.tf32 = true;
  return std::make_shared<const PythonHome>(std::move(home));
}

Result<Reference> oracle_of(const Task& task, const CpuOptions& host) {
  if (is_python(task.reference_file)) {
    auto python = host.python;
    if (python == nullptr) {
      KE_TRY(python, python_of(task));
    }
    return start_python_reference(task, *python, host.tools_dir, host.level, host.scratch);
  }
  KE_TRY_VOID(require_compiler(host));
  CompilerOptions tools;
  tools.tools_dir = host.tools_dir;
  tools.level = host.level;
  tools.gxx = host.compiler;
  tools.scratch = host.scratch;
  KE_TRY(const Compiler compiler, Compiler::create(tools));
  return build_reference(task, compiler, host.scratch);
}

}  // namespace ke
