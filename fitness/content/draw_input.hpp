#pragma once
// Values of one input of a task.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/secret_random.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What a task lets its kernels flush is not among its inputs: kept or made zero they may lead to
/// results that differ by more than any tolerance, where a kernel multiplies them up. float16 keeps
/// its subnormals, which no flushing touches.
void leave_out_subnormals(const Task& task, Dtype dtype, std::span<double> values);

/// The bytes of an input, drawn from one of its classes and times its scale.
std::vector<std::byte> draw_input(const Task& task, const Shapes& shapes, std::size_t input,
                                  const std::string& input_class, SecretRandom& random);

}  // namespace ke
