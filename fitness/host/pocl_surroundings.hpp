#pragma once
// What a sandboxed process needs beside its profile to use PoCL.

#include <string>

#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Shows it PoCL's own files and gives it `cache`, an absolute path: a folder in memory from which
/// libraries may be loaded, or, below the level of namespaces, that folder of the host.
void allow_pocl(SandboxSpec& spec, const std::string& cache);

}  // namespace ke
