#include "fitness/cpu/build_reference.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "fitness/cpu/bench.hpp"

namespace ke {

Result<Reference> build_reference(const Task& task, const Compiler& compiler,
                                  const std::string& scratch) {
  std::shared_ptr<const TemporaryFile> kept;
  const auto compile = [&](const std::string& source) -> Result<std::string> {
    BuildRequest request;
    request.source = source;
    request.include_dir = task.include_dir;
    request.trusted = true;
    KE_TRY(const BuildOutput built, compiler.build(request));
    if (!built.ok()) {
      return Error{Failure::config, fmt::format("reference.cpp of task '{}' does not build: {} {}",
                                                task.name, built.reason, built.detail)};
    }
    KE_TRY(auto file, TemporaryFile::write(scratch, ".so", built.shared_object));
    kept = std::make_shared<const TemporaryFile>(std::move(file));
    return kept->path();
  };
  KE_TRY(Reference reference, Reference::build(task, compile));
  reference.own(std::move(kept));
  return reference;
}

}  // namespace ke
