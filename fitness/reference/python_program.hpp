#pragma once
// A task's oracle in Python, PyTorch or NumPy, loaded by a separate process.

#include <string>

#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/python_home.hpp"

namespace ke {

/// Starts processes for task.reference_source, which serve_reference.py loads. Errors: it does not
/// load, or defines no function `reference`.
Result<Reference> start_python_reference(const Task& task, const PythonHome& python,
                                         const std::string& tools_dir, SandboxLevel level,
                                         const std::string& scratch);

}  // namespace ke
