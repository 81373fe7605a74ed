#pragma once
// task.yaml as a document, also of a task that is another one at shapes of its own.

#include <string>

#include "core/node.hpp"
#include "core/result.hpp"

namespace ke {

struct TaskDocument {
  Node node;
  std::string files;  ///< folder that files in it are relative to
  /// Name of the task that its kernels were written for, where that is another one; else "".
  std::string kernels_of = {};
};

/// Reads task.yaml in `folder`. One that `extends: ../other` is the other task with a name, a
/// description, workloads and ranges of its own, and has nothing else. Errors name the place.
Result<TaskDocument> read_task_document(const std::string& folder);

}  // namespace ke
