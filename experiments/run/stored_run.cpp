#include "experiments/run/stored_run.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "archive/recorded_facts.hpp"
#include "experiments/document.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/run_files.hpp"

namespace ke {
namespace {

std::string name_of(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.substr(0, stem.find('.'));
}

}  // namespace

Result<Experiment> stored_experiment(const RunHeader& header, const std::string& file,
                                     const std::vector<std::string>& overrides) {
  Node document = document_of_canonical(header.config_text, file);
  document.stored = true;
  document.set("task", document_of_canonical("x = [" + header.task + "]", file).entries[0].value);
  for (const std::string& text : overrides) KE_TRY_VOID(apply_override(document, text, "."));
  auto experiment = read_experiment(std::move(document), name_of(file));
  if (!experiment) {
    return Error{Failure::store, fmt::format("{}: its configuration is not one of this version: {}",
                                             file, experiment.error().message)};
  }
  if (experiment->canonical_text != header.config_text) {
    return Error{
        Failure::usage,
        fmt::format("{}: a resumed run keeps its configuration; only what changes no result "
                    "can be set, such as device.lanes",
                    file)};
  }
  return experiment;
}

Result<Subject> stored_subject(const Experiment& experiment, const RunHeader& header,
                               const std::string& file, const std::string& tasks) {
  std::vector<std::string> folders;
  if (tasks.empty()) folders = indexed_task_folders(file);
  for (std::string& folder : folders) {
    std::error_code code;
    if (!std::filesystem::exists(folder, code)) folder.clear();
  }
  KE_TRY(Subject subject, read_subject_alone(experiment, header.task, tasks, folders));
  if (subject.hash != header.task_hash) {
    return Error{
        Failure::config,
        fmt::format("{}: task '{}' is not the one that the run began with (content {}, was {}); "
                    "'--tasks FOLDER' says where that one is",
                    file, header.task, subject.hash.short_hex(), header.task_hash.short_hex())};
  }
  if (experiment.memory) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(subject.lessons, recorded_lessons(*reader));
  }
  return subject;
}

}  // namespace ke
