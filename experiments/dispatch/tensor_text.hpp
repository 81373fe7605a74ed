#pragma once
// Writes expressions of tasks and plans as C++ for exported libraries; the code needs
// library/number.hpp.

#include <cstdint>
#include <string>
#include <string_view>

#include "fitness/task.hpp"

namespace ke {

/// Translates an expression to C++. The grammar is C's, but literals are wide and an occupancy is a
/// separate call.
std::string cpp_text(std::string_view text);

/// Bytes of a tensor by its declared shape.
std::string bytes_text(const TensorSpec& tensor);

/// Makes functions of library/number.hpp visible to expressions.
std::string_view number_functions();

/// `void tensor_bytes(const std::size_t* lengths_, std::size_t* bytes_)`, which computes the bytes
/// of each tensor.
std::string tensor_bytes_text(const Task& task);

/// An array of the lengths of the axes, which are parameters of the function: "const std::size_t
/// lengths_[] = {rows, cols};".
std::string lengths_text(const Task& task);

/// Largest alignment among the task's tensors.
std::int64_t largest_align(const Task& task);

}  // namespace ke
