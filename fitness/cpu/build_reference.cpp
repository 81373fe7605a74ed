#include "fitness/cpu/build_reference.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "fitness/host/bench.hpp"

namespace ke {

Result<Reference> build_reference(const Task& task, const Compiler& compiler,
                                  const std::string& scratch) {
  BuildRequest request;
  request.source = task.reference_source;
  request.include_dir = task.include_dir;
  request.trusted = true;
  KE_TRY(const BuildOutput built, compiler.build(request));
  if (!built.ok()) {
    if (built.diagnostics.empty()) {
      return Error{Failure::reference,
                   fmt::format("{}: does not build ({}): {}", task.reference_file, built.reason,
                               built.message)};
    }
    const Diagnostic& first = built.diagnostics.front();
    return Error{Failure::reference,
                 fmt::format("{}:{}:{}: does not build: {}", task.reference_file, first.line,
                             first.column, first.message)};
  }
  KE_TRY(auto file, TemporaryFile::write(scratch, ".so", built.shared_object));
  const auto kept = std::make_shared<const TemporaryFile>(std::move(file));
  ReferenceProgram program;
  program.file = task.reference_file;
  program.tools_dir = compiler.options().tools_dir;
  program.level = compiler.options().level;
  program.argv = {program.tools_dir + "/kernelevolve-reference", kept->path()};
  program.readable = {kept->path()};
  program.files = kept;
  return Reference::start(std::move(program));
}

}  // namespace ke
