#pragma once
// Exports a kernel: its source and the command that builds it.

#include <map>
#include <string>

#include "core/candidate.hpp"
#include "core/result.hpp"

namespace ke {

/// Compiler arguments of the kernel's genome: flags, then -D macros of its knobs.
Result<std::vector<std::string>> genome_arguments(const Kernel& kernel);

/// Compiler that an exported folder's build.sh calls.
enum class KernelBuild {
  gxx,   ///< build.sh makes kernel.so
  nvcc,  ///< build.sh makes kernel.cubin; the source holds the launch plan
  none,  ///< compiled at launch, or by a toolchain that only the run's device knows
};
/// `language` is a Kernel::language.
KernelBuild build_of_language(std::string_view language);

/// Files of a kernel's folder; `script` is "" for KernelBuild::none.
struct WrittenKernel {
  std::string source;
  std::string script;
};

/// Writes the source (with its language's file name), build.sh and candidate.json into a folder,
/// which is created. Also copies `include_dir` unless it is empty. Never overwrites files.
/// `labels`: what the task says of itself, for candidate.json.
Result<WrittenKernel> write_kernel_folder(const std::string& folder, const Candidate& candidate,
                                          KernelBuild build, const std::string& include_dir,
                                          const std::map<std::string, std::string>& labels = {});

}  // namespace ke
