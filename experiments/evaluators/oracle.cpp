#include "experiments/evaluators/oracle.hpp"

#include <cstdlib>

#include "experiments/evaluators/python.hpp"
#include "experiments/places.hpp"
#include "fitness/cpu/build_reference.hpp"
#include "fitness/reference/python_program.hpp"

namespace ke {
namespace {

Result<Reference> oracle_in_python(const Task& task, const CpuOptions& host) {
  KE_TRY(python::Installation found, find_python(python_for_references(),
                                                 "the environment variable "
                                                 "KERNELEVOLVE_PYTHON"));
  const ReferencePython python{std::move(found.program), std::move(found.paths),
                               references_folder() + "/serve_reference.py"};
  return start_python_reference(task, python, host.tools_dir, host.level, host.scratch);
}

}  // namespace

std::string python_for_references() {
  const char* named = std::getenv("KERNELEVOLVE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

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
