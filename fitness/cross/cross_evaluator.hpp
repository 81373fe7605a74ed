#pragma once
// The evaluator for a chip described in YAML: a compile pool and one runner.

#include <cstdint>
#include <memory>
#include <string>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/cross/chip.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/task.hpp"

namespace ke::cross {

/// Options of the evaluator; `read` declares them.
struct CrossOptions {
  Chip chip;
  std::string sandbox = "auto";  ///< requested level; the caller probes it and sets tools.level
  Tools tools;
  std::int64_t compile_threads = 1;
  std::string language;  ///< text for models that write its kernels, see core/language.hpp

  static CrossOptions read(Params& device);
};

/// Starts the threads. `reference` is the task's oracle, in this process; `options.chip.support` is
/// the path of a folder. Errors: a missing program, or a task with more tensors or arguments than a
/// call can hold.
Result<std::unique_ptr<Evaluator>> make_cross_evaluator(std::shared_ptr<const Task> task,
                                                        Reference reference,
                                                        const CrossOptions& options);

}  // namespace ke::cross
