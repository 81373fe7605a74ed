#include "fitness/prepare_job.hpp"

#include "core/knob_space.hpp"

namespace ke {
Result<Kernel> resolve_opponent(const Opponent& opponent, const Task& task) {
  if (opponent.kernel) return *opponent.kernel;
  const std::string* source = task.kernel_source(opponent.name);
  if (source == nullptr) {
    return Error{Failure::config,
                 fmt::format("task '{}' has no kernel '{}'", task.name, opponent.name)};
  }
  KE_TRY(const KernelSpace space, parse_kernel_space(opponent.name, *source));
  Kernel kernel = space.defaults(opponent.name, *source);
  kernel.language = task.language_of(opponent.name);
  return kernel;
}

}  // namespace ke
