#pragma once
// The shapes that decide which kernel a dispatcher calls at each shape.

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "fitness/task.hpp"

namespace ke {

struct ShapeRequest {
  std::string given = {};  ///< "rows=64 cols=8, rows=1 cols=100"; "" = none
  std::int64_t drawn = 0;  ///< number of drawn shapes
  std::int64_t seed = 1;   ///< seed of the drawn shapes
};

/// Adds workloads of role validation to the task. Drawn shapes are far from each other and from
/// those of role bench and validation, by `dispatch::squared_distance`: each is the farthest of
/// some draws. Every axis lies between a quarter of the least and four times the greatest length
/// there, and no shape moves more bytes than the largest of them. Properties that a task may
/// silently rely on are kept (fitness/task.hpp). Draws fewer shapes if no more are found. The
/// content hash changes. Errors: axes that the task lacks or that are missing, lengths outside of
/// [1, 2^40], a shape of role holdout, which must not decide.
Result<Task> with_training_shapes(const Task& task, const ShapeRequest& request);

/// True for the roles that decide: bench and validation.
bool decides(Role role);

}  // namespace ke
