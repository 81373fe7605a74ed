#pragma once
// Version of this build, and the folders of its tasks, configuration files and programs.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Folders that hold `tasks/`, `backends/`, `strategies/`: those of an installed program, else
/// those of this build.
std::vector<std::string> config_folders();

/// Folder of task.yaml for a task given by name (`softmax`, `conformance/axpb`) or by folder.
/// Searches `beside` first: the folder of the file that names the task. The error suggests the
/// nearest known name.
Result<std::string> find_task_folder(std::string_view task, std::string_view beside);

/// The folder beside which a task given on the command line is looked for: the working folder, if
/// the task is there, else `beside`, the experiment's folder. Adds a warning if both hold one.
std::string base_of_typed_task(std::string_view task, const std::string& beside,
                               std::vector<std::string>& warnings);

/// Path of `<kind>/<name>.yaml`, or "" when there is none. `kind` is "backends" or "strategies".
std::string find_config(std::string_view kind, std::string_view name, std::string_view beside);

/// Names of all tasks in the config folders, sorted.
std::vector<std::string> known_tasks();

/// Version of this program, e.g. "0.1.0".
std::string version();

/// Path of this program.
std::string program_file();

/// The file that starts this program: itself, or the launcher of a bundle (experiments/bundle.sh).
std::string program_to_start();

/// Folder of this program and its helper programs.
std::string tools_folder();

/// Folder that holds the Python package `kernelevolve`: that of an installed program, else that of
/// this build. The functions below follow the same rule.
std::string python_folder();

/// Folder of the Python program that packs artifacts.
std::string artifact_folder();

/// Folder of the sources that exported dispatchers hold.
std::string dispatch_folder();
/// core/formula.hpp, which every exported dispatcher holds too.
std::string formula_file();

/// Folder of the sources that every package of PyTorch operators holds.
std::string torch_folder();

/// Folder of the Python program that serves references in Python.
std::string references_folder();

/// Folder of the Python programs that import tasks.
std::string import_folder();

/// Folder of the Python programs that take models apart and insert kernels.
std::string needs_folder();

/// Folder of the Python program that compiles kernels in DSLs.
std::string adapters_folder();

}  // namespace ke
