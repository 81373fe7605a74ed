#pragma once
// A kernel outside of its run: source and the command that builds it.

#include <string>

#include "core/candidate.hpp"
#include "core/result.hpp"

namespace ke {

/// Arguments of the compiler that give the kernel its genome: flags, then -D macros of its knobs.
Result<std::vector<std::string>> genome_arguments(const Kernel& kernel);

/// Writes the source, build.sh (makes kernel.so) and candidate.json into a folder, which is
/// created. `include_dir` is copied beside them when it is not empty. Existing files are not
/// overwritten.
Result<void> write_kernel_folder(const std::string& folder, const Candidate& candidate,
                                 const std::string& include_dir);

}  // namespace ke
