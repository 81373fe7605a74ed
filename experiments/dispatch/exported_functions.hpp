#pragma once
// The functions that an exported dispatcher offers to C: their comments, parameters and bodies.

#include <string>
#include <vector>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

struct ExportedFunction {
  std::string about;  ///< comment in the header; "" = that of the function before
  std::string returns;
  std::string ending;  ///< of its name, after the library's symbol
  std::string parameters;
  std::string body;  ///< in C++; calls the object library_()

  std::string declaration(const DispatchPlan& plan) const {
    return returns + " " + plan.symbol + ending + "(" + parameters + ")";
  }
};

/// In the order of the header.
std::vector<ExportedFunction> exported_functions(const Task& task, const DispatchPlan& plan);

/// True for inputs that kernels may prepare.
bool may_be_prepared(const TensorSpec& tensor);
std::vector<TensorSpec> unchanging_inputs(const Task& task);

/// Parameters of a kernel for processors, or of its preparation: "const float* x, size_t rows".
std::string kernel_parameters(const Task& task, const std::vector<TensorSpec>& tensors);
/// Arguments of such a function: "x, rows".
std::string kernel_arguments(const Task& task, const std::vector<TensorSpec>& tensors);

}  // namespace ke
