#include "fitness/ported_task.hpp"

#include <fmt/format.h>

namespace ke {

Result<Task> in_language(Task task, std::string_view language) {
  if (task.language == language) return task;
  const std::string* port = task.kernel_source(language);
  if (port == nullptr || task.language_of(language) != language) {
    return Error{Failure::config,
                 fmt::format("task '{}' has kernels in {} and none in {}: 'kernels.{}' of its "
                             "task.yaml names no file",
                             task.name, task.language, language, language)};
  }
  task.language = language;
  task.kernels = {{"naive", *task.kernel_source("naive")}, {"anchor", *port}};
  return task;
}

}  // namespace ke
