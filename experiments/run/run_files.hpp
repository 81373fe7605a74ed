#pragma once
// Names, finds and lists run files.

#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/result.hpp"

namespace ke {

struct Subject;

inline constexpr std::string_view run_suffix = ".kev";

/// `<name>.<task>.s<seed>.kev`; replaces '/' in the task's name by '-'.
std::string run_file_name(const std::string& name, const std::string& task, std::int64_t seed);

/// A planned run: its file and the source of its task.
struct PlannedFile {
  std::string task;
  std::string file;
};
/// Refuses two runs with the same file, which could hold only one.
Result<void> refuse_equal_files(const std::vector<PlannedFile>& runs);

/// Resolves RUN arguments to files: a file itself, or all run files at or below a folder, sorted.
/// Error if there is none.
Result<std::vector<std::string>> find_run_files(const std::vector<std::string>& arguments);

/// Opens the single run of an argument; the error for a folder with several lists them.
Result<std::unique_ptr<RunReader>> open_run(const std::string& argument);

/// Source of a run's task, for `resume`.
struct IndexEntry {
  std::string file;                                   ///< name inside the folder
  std::string task_folder;                            ///< or the landscape's file; "" for functions
  std::vector<std::string> device_task_folders = {};  ///< by device, for a run with several devices
};
/// Entry of a run file whose task was read as `subject`.
IndexEntry index_entry(const std::string& file, const Subject& subject);
/// Adds entries to the folder's index, atomically; replaces entries of the same files.
Result<void> write_index(const std::string& folder, const std::vector<IndexEntry>& entries);
/// Task folder of a run file; "" if no index in its folder lists it.
std::string indexed_task_folder(const std::string& run_file);
/// Task folders of a run file by device; empty if no index in its folder lists the run.
std::vector<std::string> indexed_task_folders(const std::string& run_file);

/// Removes a run file left by a process that died while it created the folder's runs: no index
/// names the file, and it holds no step. Returns false for other files.
bool remove_unfinished(const std::string& run_file);

}  // namespace ke
