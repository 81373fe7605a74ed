#pragma once
// A kernel outside of its run: source and the command that builds it.

#include <string>

#include "core/candidate.hpp"
#include "core/result.hpp"

namespace ke {

/// Arguments of the compiler that give the kernel its genome: flags, then -D macros of its knobs.
Result<std::vector<std::string>> genome_arguments(const Kernel& kernel);

/// The compiler that an exported folder's build.sh calls.
enum class KernelBuild {
  gxx,   ///< build.sh makes kernel.so
  nvcc,  ///< build.sh makes kernel.cubin; the launch plan stands in the source
  none,  ///< compiled where it is launched, or by a toolchain that only the run's device knows
};
/// By Kernel::language.
KernelBuild build_of_language(std::string_view language);

/// The files of a kernel's folder; `script` is "" for KernelBuild::none.
struct WrittenKernel {
  std::string source;
  std::string script;
};

/// Writes the source (named as its language names kernels), build.sh and candidate.json into a
/// folder, which is created. `include_dir` is copied beside them when it is not empty. Existing
/// files are not overwritten.
Result<WrittenKernel> write_kernel_folder(const std::string& folder, const Candidate& candidate,
                                          KernelBuild build, const std::string& include_dir);

}  // namespace ke
