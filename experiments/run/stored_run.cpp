#include "experiments/run/stored_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "archive/recorded_facts.hpp"
#include "core/text.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/run_files.hpp"

namespace ke {
namespace {

std::string name_of(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.substr(0, stem.find('.'));
}

/// Adds the limits on the language model that the run was last given, which are not part of its
/// configuration.
void restore_options(const std::string& file, Node& document) {
  const auto reader = RunReader::open(file);
  const auto options = reader ? (*reader)->kept_options() : reader.error();
  if (!options || document.find("llm") == nullptr) return;
  for (const auto& [path, value] : *options) {
    document.set(path, scalar_node(value, {file, 0, 0}));
  }
}

/// First line that is in only one of `then` and `now`.
std::string first_difference(const std::string& then, const std::string& now) {
  const auto were = split(then, '\n');
  const auto are = split(now, '\n');
  for (const auto line : are) {
    if (std::ranges::find(were, line) == were.end()) return std::string(line);
  }
  for (const auto line : were) {
    if (std::ranges::find(are, line) == are.end()) return fmt::format("{} is gone", line);
  }
  return "the order of lines";
}

}  // namespace

Result<Experiment> changed_experiment(const RunHeader& header, const std::string& file,
                                      const std::vector<std::string>& overrides) {
  Node document = document_of_canonical(header.config_text, file);
  document.stored = true;
  const auto set = [&](const char* path, const std::string& value) {
    document.set(path, document_of_canonical("x = [" + value + "]", file).entries[0].value);
  };
  set("task", header.task);
  set("seed", std::to_string(header.seed));
  restore_options(file, document);
  for (const std::string& text : overrides) KE_TRY_VOID(apply_override(document, text, "."));
  auto experiment = read_experiment(std::move(document), name_of(file));
  if (!experiment && !overrides.empty() && changed_experiment(header, file, {})) {
    return Error{Failure::config, experiment.error().message};
  }
  if (!experiment) {
    return Error{Failure::store, fmt::format("{}: its configuration is not one of this version: {}",
                                             file, experiment.error().message)};
  }
  if (overrides.empty()) return experiment;
  KE_TRY(const Experiment before, changed_experiment(header, file, {}));
  if (experiment->tasks == before.tasks && experiment->seeds == before.seeds) return experiment;
  return Error{Failure::usage,
               fmt::format("{}: keeps its task {} and seed {}; with others it is a new run", file,
                           header.task, header.seed)};
}

Result<Experiment> stored_experiment(const RunHeader& header, const std::string& file,
                                     const std::vector<std::string>& overrides) {
  KE_TRY(Experiment experiment, changed_experiment(header, file, overrides));
  if (experiment.canonical_text != header.config_text) {
    return Error{
        Failure::usage,
        fmt::format("{}: a resumed run keeps its configuration; only what changes no result "
                    "can be set, such as device.lanes; this would change it: {}",
                    file, first_difference(header.config_text, experiment.canonical_text))};
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
