#pragma once
// task.yaml as a document, also for a task that extends another with its own shapes.

#include <string>

#include "core/node.hpp"
#include "core/result.hpp"

namespace ke {

struct TaskDocument {
  Node node;
  std::string files;  ///< base folder of relative paths in it
  /// Name of the task that its kernels were written for, if that is another one; else "".
  std::string kernels_of = {};
};

/// Reads task.yaml in `folder`. A file with `extends: ../other` is the other task with its own
/// name, description, workloads and ranges; it may contain nothing else. Errors name the place.
Result<TaskDocument> read_task_document(const std::string& folder);

}  // namespace ke
