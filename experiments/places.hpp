#pragma once
// What this build is, and where its tasks and configuration files are found.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Folders that hold `tasks/`, `backends/`, `strategies/`: those beside an installed program, else
/// those of this build.
std::vector<std::string> config_folders();

/// The folder with task.yaml of a task given by name (`softmax`, `conformance/axpb`) or by folder.
/// `beside` is searched first: the folder of the file that names the task. The error suggests
/// the nearest known name.
Result<std::string> find_task_folder(std::string_view task, std::string_view beside);

/// Path of `<kind>/<name>.yaml`, or "" when there is none. `kind` is "backends" or "strategies".
std::string find_config(std::string_view kind, std::string_view name, std::string_view beside);

/// Names of all tasks in the config folders, sorted.
std::vector<std::string> known_tasks();

/// Version of this program, e.g. "0.1.0".
std::string version();

/// Path of this program.
std::string program_file();

/// Folder of this program, where its helper programs lie too.
std::string tools_folder();

/// Folder of the Python program that draws figures: beside an installed program, else of this
/// build.
std::string drawing_folder();

/// Folder of the Python program that packs artifacts, likewise.
std::string artifact_folder();

/// Folder of the sources that every exported dispatcher holds, likewise.
std::string dispatch_folder();
/// The same of dispatchers for NVIDIA GPUs, likewise.
std::string gpu_dispatch_folder();

/// Folder of the sources that every package of PyTorch operators holds, likewise.
std::string torch_folder();

/// Folder of the Python program that serves references in Python, likewise.
std::string references_folder();

/// Folder of the Python programs that import tasks, likewise.
std::string import_folder();

/// Folder of the Python programs that take whole models apart and put kernels into them, likewise.
std::string needs_folder();

/// Folder of the Python program that compiles kernels in DSLs, likewise.
std::string adapters_folder();

}  // namespace ke
