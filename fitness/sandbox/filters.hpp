#pragma once
// The system-call filters. The helper loads the first one, the worker the second.

#include <string>

#include "fitness/sandbox/lock.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Loads the initial filter of a process. Returns "", or the failed step.
std::string load_start_filter(SandboxProfile profile, int threads);

/// Loads the worker's final filter on all of its threads. Calls of refused_calls.hpp raise SIGSYS.
/// Returns "", or the failed step.
std::string load_locked_filter(int threads, const ProtectedRange& range);

/// Loads a filter by which a system call that stops this process raises SIGSYS unless it returns to
/// `site`. Must come before load_locked_filter. Returns "", or the failed step.
std::string load_stop_filter(const void* site);

}  // namespace ke
