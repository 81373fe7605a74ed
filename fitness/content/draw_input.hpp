#pragma once
// Draws the values of one input of a task.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/secret_random.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Replaces subnormal values by zero where the task lets kernels flush them, because a kernel that
/// flushes and one that does not could differ by more than the tolerance. Leaves float16 unchanged,
/// which processors do not flush.
void leave_out_subnormals(const Task& task, Dtype dtype, std::span<double> values);

/// Draws an input from one of its classes, multiplied by its scale; returns its bytes.
std::vector<std::byte> draw_input(const Task& task, const Shapes& shapes, std::size_t input,
                                  const std::string& input_class, SecretRandom& random);

}  // namespace ke
