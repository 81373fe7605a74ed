#pragma once
// Run files: how they are named, found and listed.

#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/result.hpp"

namespace ke {

inline constexpr std::string_view run_suffix = ".kev";

/// `<name>.<task>.s<seed>.kev`; a '/' of a task's name becomes '-'.
std::string run_file_name(const std::string& name, const std::string& task, std::int64_t seed);

/// A run that is planned: where its task comes from, and its file.
struct PlannedFile {
  std::string task;
  std::string file;
};
/// Refuses two runs of one file: it would hold one of them.
Result<void> refuse_equal_files(const std::vector<PlannedFile>& runs);

/// RUN arguments as files: a file itself, or all run files at or below a folder, sorted. Error when
/// there is nothing.
Result<std::vector<std::string>> find_run_files(const std::vector<std::string>& arguments);

/// The one run that an argument means; a folder with several is an error that lists them.
Result<std::unique_ptr<RunReader>> open_run(const std::string& argument);

/// Where the tasks of a folder's runs were read from, for `resume`.
struct IndexEntry {
  std::string file;                                   ///< name inside the folder
  std::string task_folder;                            ///< or the landscape's file; "" for functions
  std::vector<std::string> device_task_folders = {};  ///< of a run with several devices, by device
};
/// Adds to the folder's index, atomically; entries of the same files are replaced.
Result<void> write_index(const std::string& folder, const std::vector<IndexEntry>& entries);
/// The task folder of a run file, or "" when no index beside it says so.
std::string indexed_task_folder(const std::string& run_file);
/// The same for each device; empty when no index beside it says so.
std::vector<std::string> indexed_task_folders(const std::string& run_file);

/// Removes a run file whose process died while it made the folder's runs: no index names it, and it
/// holds no step. False when it is more than that, or not a run file.
bool remove_unfinished(const std::string& run_file);

}  // namespace ke
