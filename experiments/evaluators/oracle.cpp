#include "experiments/evaluators/oracle.hpp"

#include "fitness/cpu/build_reference.hpp"

namespace ke {

Result<Reference> oracle_of(const Task& task, const CpuOptions& host) {
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
