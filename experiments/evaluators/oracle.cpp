#include "experiments/evaluators/oracle.hpp"

#include <fmt/core.h>

#include "experiments/evaluators/python.hpp"
#include "experiments/places.hpp"
#include "fitness/cpu/build_reference.hpp"
#include "fitness/reference/python_program.hpp"

namespace ke {
namespace {

Result<Reference> oracle_in_python(const Task& task, const CpuOptions& host) {
  auto found = find_python("python3");
  if (!found) {
    return Error{Failure::device, fmt::format("{}: no python3 in PATH can be used: {}",
                                              task.reference_file, found.error().message)};
  }
  const ReferencePython python{std::move(found->program), std::move(found->paths),
                               references_folder() + "/serve_reference.py"};
  return start_python_reference(task, python, host.tools_dir, host.level, host.scratch);
}

}  // namespace

Result<Reference> oracle_of(const Task& task, const CpuOptions& host) {
  if (is_python(task.reference_file)) return oracle_in_python(task, host);
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
