#pragma once
// Draws shapes that no list contains, so that a kernel cannot be right only at the listed ones.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/task.hpp"

namespace ke {

/// A device's limit on one shape, in addition to the sizes of each purpose.
struct ShapeLimits {
  std::int64_t most_elements = std::numeric_limits<std::int64_t>::max();
};

/// Draws the shapes of one judgement, small ones first: few for a screen, none for a duel, many for
/// a verification, some of those at the sizes of bench shapes and some beyond all listed ones. Each
/// axis in turn gets each kind of length (LengthKind) within its range (axis_range). The role is
/// holdout: feedback does not mention these shapes. Errors: none for a task that was read.
std::vector<Workload> unlisted_workloads(const Task& task, JobKind purpose,
                                         const ShapeLimits& limits, SecretRandom& random);

/// For each length of an axis in a workload of more than `most_elements`, one shape of at most that
/// many and at least half as many elements, by shortening the other axes. For devices that call
/// large shapes with few contents.
std::vector<Workload> slim_workloads(const Task& task, std::int64_t most_elements,
                                     SecretRandom& random);

/// Elements over all tensors of the largest workload.
std::int64_t largest_listed_elements(const Task& task);

}  // namespace ke
