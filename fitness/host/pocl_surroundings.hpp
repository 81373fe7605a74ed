#pragma once
// Lets a sandboxed process use PoCL.

#include <string>

#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Grants access to PoCL's files and to `cache`, an absolute path: a folder in memory from which
/// libraries may be loaded or, at levels below namespaces, that folder of the host.
void allow_pocl(SandboxSpec& spec, const std::string& cache);

}  // namespace ke
