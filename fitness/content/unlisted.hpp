#pragma once
// Shapes that stand in no list, so that a kernel cannot be right at the listed ones alone.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What a device bears of one shape, beside the sizes of each purpose.
struct ShapeLimits {
  std::int64_t most_elements = std::numeric_limits<std::int64_t>::max();
};

/// The shapes that one whole judgement draws, the small ones first: few of a screen, none of a
/// duel, many of a verification, a share of those at the sizes of bench shapes and some beyond all
/// lists. Axes take turns in having each kind of length (LengthKind) within its range
/// (axis_range). The role is holdout: what goes wrong there is not told. Errors: none of the task
/// as read.
std::vector<Workload> unlisted_workloads(const Task& task, JobKind purpose,
                                         const ShapeLimits& limits, SecretRandom& random);

/// One shape for each length that an axis has in a workload of more than `most_elements`, with the
/// other axes short enough for that many, and not for half of them: for devices that call large
/// shapes with few contents.
std::vector<Workload> slim_workloads(const Task& task, std::int64_t most_elements,
                                     SecretRandom& random);

/// Elements of all tensors of the largest workload.
std::int64_t largest_listed_elements(const Task& task);

}  // namespace ke
