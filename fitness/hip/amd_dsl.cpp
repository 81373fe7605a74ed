#include "fitness/hip/amd_dsl.hpp"

#include <fmt/format.h>

#include <utility>

#include "fitness/python/dsls.hpp"
#include "fitness/python/python_builder.hpp"

namespace ke::hip {
namespace {

using cuda::CudaBuilt;

/// Names the target in what it has against a kernel.
CudaBuilt refused_by(const std::string& target, CudaBuilt built) {
  built.message = target + ": " + built.message;
  for (Diagnostic& one : built.diagnostics) one.message = target + ": " + one.message;
  return built;
}

}  // namespace

bool in_dsl(const Kernel& kernel) { return python::is_dsl(kernel.language); }

Result<CudaBuilt> build_dsl(const Task& task, const AmdOptions& options, const Kernel& kernel) {
  if (options.dsl == nullptr) {
    return refused_build<CudaBuilt>(
        Verdict::rejected, "other_language",
        fmt::format("a kernel in {}, and device.python names no Python to compile it",
                    kernel.language));
  }
  CudaBuilt all;
  std::int64_t compile_ns = 0;
  std::map<std::string, double> measures;
  for (const std::string& target : options.targets) {
    KE_TRY(CudaBuilt one,
           python::build_python(task, terms_of(target), target, *options.dsl, kernel));
    compile_ns += one.compile_ns;
    one.compile_ns = compile_ns;
    if (one.verdict != Verdict::ok) return refused_by(target, std::move(one));
    for (const auto& [name, value] : one.measures) measures[target + "_" + name] = value;
    if (all.cubins.empty()) all = std::move(one);
  }
  all.compile_ns = compile_ns;
  all.measures = std::move(measures);
  return all;
}

}  // namespace ke::hip
