#pragma once
// Writes expressions of tasks and plans as C++ for exported libraries; the code needs
// library/number.hpp.
// Parts of the sources of libraries that launch kernels.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// A C parameter for each axis: "size_t rows", "size_t cols".
std::vector<std::string> axis_parameters(const Task& task);

/// The elements of both lists, separated by commas.
std::string joined(std::vector<std::string> list, const std::vector<std::string>& more);

/// A C string.
std::string quoted(const std::string& text);
/// A C initialiser of strings: {"a", "b"}.
std::string quoted_list(const std::vector<std::string>& texts);

/// "x, y".
std::string tensor_names(const Task& task);

/// code.S: the kernels' code as data of the library. `files`: symbols with paths below the
/// library's folder.
std::string data_text(const std::vector<std::pair<std::string, std::string>>& files);

/// library.sh, which build.sh reads. `endings`: of the exported functions, after the symbol.
std::string build_text(const DispatchPlan& plan, const std::vector<std::string>& endings);

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
