#include "fitness/hip/amd_dsl.hpp"

#include <fmt/format.h>

#include <utility>

namespace ke::hip {
namespace {

using gpu::GpuBuilt;

/// Names the target in what it has against a kernel.
GpuBuilt refused_by(const std::string& target, GpuBuilt built) {
  built.message = target + ": " + built.message;
  for (Diagnostic& one : built.diagnostics) one.message = target + ": " + one.message;
  return built;
}

}  // namespace

Result<GpuBuilt> build_dsl(const AmdOptions& options, const Kernel& kernel) {
  if (options.dsl == nullptr) {
    return refused_build<GpuBuilt>(
        Verdict::rejected, "other_language",
        fmt::format("a kernel in {}, and device.python names no Python to compile it",
                    kernel.language));
  }
  GpuBuilt all;
  std::int64_t compile_ns = 0;
  std::map<std::string, double> measures;
  for (const std::string& target : options.targets) {
    KE_TRY(GpuBuilt one, options.dsl->build(kernel, {target, terms_of(target)}));
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
