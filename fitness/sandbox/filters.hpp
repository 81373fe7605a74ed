#pragma once
// The system-call filters. Shared by the helper, which loads the first, and the worker.

#include <string>

#include "fitness/sandbox/lock.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Loads the filter a process starts under. Empty text, or what failed.
std::string load_start_filter(SandboxProfile profile, int threads);

/// Loads the worker's final filter on all of its threads. Empty text, or what failed.
std::string load_locked_filter(int threads, const ProtectedRange& range);

}  // namespace ke
