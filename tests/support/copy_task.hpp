#pragma once
// A task for device kernels that are only built or planned.

#include "fitness/task.hpp"

namespace ke::test {

/// The task y = f(x) with n elements.
inline Task copy_task() {
  Task task;
  task.name = "copy";
  task.axes = {"n"};
  task.signature = {"x", "y", "n"};
  task.axis_arguments = {"n"};
  task.tensors.resize(2);
  task.tensors[0].name = "x";
  task.tensors[1].name = "y";
  task.tensors[1].output = true;
  for (TensorSpec& tensor : task.tensors) tensor.shape = {*Expression::parse("n")};
  task.workloads = {{{{"n", 1000}}, Role::test, "n=1000"}};
  return task;
}

}  // namespace ke::test
