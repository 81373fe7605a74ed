#pragma once
// Writes the texts of an exported dispatcher that depend on its task and its plan.

#include <string>
#include <string_view>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// `NAME.h`: the function in C, with the arguments of the task's kernels.
std::string header_text(const Task& task, const DispatchPlan& plan);
/// `dispatch.cpp`: the tables, and the code that calls the kernels.
std::string dispatch_text(const Task& task, const DispatchPlan& plan);
/// `kernels.sh`: the inputs of build.sh. `headers`: true if a folder `include` is next to it.
std::string kernels_text(const DispatchPlan& plan, bool headers);
/// `README.md`: the library's purpose, kernels and measurements.
std::string readme_text(const Task& task, const DispatchPlan& plan);
/// The part of a README.md that lists the library's kernels: a table with their origin and flags.
std::string kernels_table(const DispatchPlan& plan);
/// A kernel that calls the library at `path`, to measure it as a baseline of the task.
std::string caller_text(const Task& task, const DispatchPlan& plan, const std::string& path);

/// True if the task has inputs that kernels may prepare.
bool has_unchanging_inputs(const Task& task);

/// A tensor's element type in C: the header must also compile as C, where types have no namespace.
std::string_view c_type(const TensorSpec& tensor);
/// A tensor as a C parameter: "const float* x".
std::string tensor_parameter(const TensorSpec& tensor);
/// A tensor as an argument without const: "const_cast<float*>(x)", "y".
std::string untyped_pointer(const TensorSpec& tensor);
/// Sentence on alignment: "all tensors begin at multiples of 64 bytes".
std::string alignment_text(const Task& task);
/// Tables shapes_0, orders_0 and so on: lengths and variants of each device's measured shapes.
std::string shape_tables(const DispatchPlan& plan);

/// Escapes text so that it cannot end a C comment.
std::string in_comment(std::string text);

}  // namespace ke
