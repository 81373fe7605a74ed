#pragma once
// The evaluator of a chip described in YAML: a compile pool beside one runner.

#include <cstdint>
#include <memory>
#include <string>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/cross/chip.hpp"
#include "fitness/sandbox/tools.hpp"
#include "fitness/task.hpp"

namespace ke::cross {

/// Options of the evaluator; `read` declares them.
struct CrossOptions {
  Chip chip;
  std::string sandbox = "auto";  ///< the level asked for; whoever probes sets tools.level
  Tools tools;
  std::int64_t compile_threads = 1;
  std::string language;  ///< what models that write its kernels are told, see core/language.hpp

  static CrossOptions read(Params& device);
};

/// Starts the threads. `reference` is the task's oracle, in this process; `options.chip.support` is
/// the path of a folder. Errors: a program that is missing, a task with more tensors or arguments
/// than calls have room for.
Result<std::unique_ptr<Evaluator>> make_cross_evaluator(std::shared_ptr<const Task> task,
                                                        Reference reference,
                                                        const CrossOptions& options);

}  // namespace ke::cross
