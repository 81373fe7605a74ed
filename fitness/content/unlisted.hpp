#pragma once
// Shapes that stand in no list, so that a kernel cannot be right at the listed ones alone.

#include <cstdint>

#include "core/result.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/task.hpp"

namespace ke {

/// A random shape not larger than a random listed one: every axis lies between its least listed
/// length and that of the listed workload. What a task may silently rely on is kept: common
/// divisors of an axis, and axes that are nowhere longer than another. The listed workload has
/// `least` to `most` elements in all its tensors, or else is the smallest. The role is holdout:
/// what goes wrong there is not told. Error: a shape of the task that cannot be evaluated.
Result<Workload> unlisted_workload(const Task& task, std::int64_t least, std::int64_t most,
                                   SecretRandom& random);

}  // namespace ke
