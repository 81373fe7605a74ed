#pragma once
// The shapes that decide which kernel a dispatcher calls where.

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "fitness/task.hpp"

namespace ke {

struct ShapeRequest {
  std::string given = {};  ///< "rows=64 cols=8, rows=1 cols=100"; "" = none
  std::int64_t drawn = 0;  ///< further ones
  std::int64_t seed = 1;   ///< of the drawn ones
};

/// The task with more workloads of role validation. Drawn shapes are far from each other and from
/// those of role bench and validation, the farthest of some draws each, by the distance of
/// `dispatch::squared_distance`; every axis lies between a quarter of the least and four times the
/// greatest length there, and no shape moves more bytes than the largest of them. What a task may
/// silently rely on is kept (shape_rules.hpp). Fewer shapes are drawn where no more are found. The
/// content hash is another one. Errors: axes that the task does not have or that are missing,
/// lengths outside of [1, 2^40], a shape of role holdout, which must not decide.
Result<Task> with_training_shapes(const Task& task, const ShapeRequest& request);

/// Whether workloads of this role decide: bench and validation.
bool decides(Role role);

}  // namespace ke
