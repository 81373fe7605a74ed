#include "fitness/sandbox/lock.hpp"

#include "fitness/sandbox/filters.hpp"

namespace ke {

Result<void> lock_worker(int threads, SandboxLevel level) {
  if (level == SandboxLevel::rlimits) return {};
  if (std::string problem = load_locked_filter(threads); !problem.empty()) {
    return Error{Failure::io, std::move(problem)};
  }
  return {};
}

}  // namespace ke
