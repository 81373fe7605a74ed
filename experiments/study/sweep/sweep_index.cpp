#include "experiments/study/sweep/sweep_index.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "experiments/run/atomic_file.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_schema = "kernelevolve-sweep-index/1";

/// The folder of failures beside the index.
fs::path failures_of(const std::string& folder) { return fs::path(folder) / "failures"; }

Json json_of(const std::string& run, const SweepFailure& failure) {
  return {{"file", run}, {"code", failure.code}, {"message", failure.message}};
}

Json json_of(const SweepIndex& index) {
  const auto run_json = [](const IndexedRun& run) -> Json {
    return {{"file", run.file},
            {"arm", run.arm},
            {"task", run.task},
            {"seed", run.seed},
            {"task_folder", run.task_folder}};
  };
  Json json = {{"schema", index_schema},
               {"name", index.name},
               {"plan", index.plan_hash},
               {"analysis", {{"hash", index.analysis_hash}, {"text", index.analysis}}},
               {"currency", index.currency},
               {"arms", index.arms},
               {"runs", column(index.runs, run_json)},
               {"failures", failures_json(index)}};
  if (index.shards > 0) json["shards"] = index.shards;
  if (!index.labels.empty()) json["labels"] = index.labels;
  return json;
}

void add_failure(const Json& failure, SweepIndex& index) {
  index.failures[failure.at("file")] = {failure.at("code"), failure.at("message")};
}

SweepIndex index_of_json(const Json& json) {
  SweepIndex index;
  index.name = json.at("name");
  index.plan_hash = json.at("plan");
  index.analysis_hash = json.at("analysis").at("hash");
  index.analysis = json.at("analysis").at("text");
  index.currency = json.at("currency");
  index.shards = json.value("shards", std::size_t{0});
  index.arms = json.at("arms").get<std::vector<std::string>>();
  if (json.contains("labels")) json.at("labels").get_to(index.labels);
  for (const Json& run : json.at("runs")) {
    index.runs.push_back(
        {run.at("file"), run.at("arm"), run.at("task"), run.at("seed"), run.at("task_folder")});
  }
  for (const Json& failure : json.at("failures")) add_failure(failure, index);
  return index;
}

void add_noted_failures(const std::string& folder, SweepIndex& index) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(failures_of(folder), code)) {
    std::ifstream file(entry.path());
    if (entry.path().extension() == ".json" && file) add_failure(parse_json(file), index);
  }
}

}  // namespace

Json failures_json(const SweepIndex& index) {
  return column(index.failures, [](const auto& one) { return json_of(one.first, one.second); });
}

SweepIndex index_of(const Sweep& sweep) {
  SweepIndex index;
  index.name = sweep.name;
  index.plan_hash = sweep.plan_hash().hex();
  index.analysis = sweep.analysis.canonical_text;
  index.analysis_hash = sweep.analysis.hash().hex();
  index.currency = sweep.currency;
  index.labels = sweep.labels;
  for (const SweepArm& arm : sweep.arms) index.arms.push_back(arm.spec.name);
  for (const SweepRun& run : runs_of(sweep)) {
    const Subject& subject = sweep.subject(run.arm, run.task);
    index.runs.push_back({run.file, index.arms[run.arm], subject.name, run.seed, subject.origin});
  }
  return index;
}

Result<void> write_sweep_index(const std::string& folder, const SweepIndex& index) {
  return write_atomically((fs::path(folder) / sweep_index_name).string(),
                          document_text(json_of(index)));
}

Result<std::optional<SweepIndex>> read_sweep_index(const std::string& folder) {
  const auto path = fs::path(folder) / sweep_index_name;
  std::ifstream file(path);
  if (!file) return std::optional<SweepIndex>();
  try {
    const Json json = parse_json(file);
    if (json.at("schema") != index_schema) {
      return Error{Failure::store, path.string() + ": is an index of another version"};
    }
    SweepIndex index = index_of_json(json);
    add_noted_failures(folder, index);
    return std::optional<SweepIndex>(std::move(index));
  } catch (const Json::exception& error) {
    return Error{Failure::store, path.string() + ": is no index of a sweep: " + error.what()};
  }
}

Result<std::vector<std::pair<std::string, std::vector<std::string>>>> runs_by_arm(
    const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, std::vector<std::string>>> arms;
  const auto add = [&](const std::string& arm, const std::string& file) {
    auto place = std::ranges::find(arms, arm, [](const auto& one) { return one.first; });
    if (place == arms.end()) place = arms.insert(place, {arm, {}});
    if (fs::exists(file)) place->second.push_back(file);
  };
  if (arguments.size() == 1 && fs::is_directory(arguments.front())) {
    KE_TRY(const auto index, read_sweep_index(arguments.front()));
    if (index) {
      for (const IndexedRun& run : index->runs) {
        add(run.arm, (fs::path(arguments.front()) / run.file).string());
      }
      return arms;
    }
  }
  KE_TRY(const auto files, find_run_files(arguments));
  for (const std::string& file : files) {
    const std::string name = fs::path(file).filename().string();
    add(name.substr(0, name.find('.')), file);
  }
  return arms;
}

Result<void> note_failure(const std::string& folder, const std::string& run,
                          const SweepFailure& failure) {
  std::error_code code;
  fs::create_directories(failures_of(folder), code);
  return write_atomically((failures_of(folder) / (run + ".json")).string(),
                          document_text(json_of(run, failure)));
}

void forget_failure(const std::string& folder, const std::string& run) {
  std::error_code ignored;
  fs::remove(failures_of(folder) / (run + ".json"), ignored);
}

}  // namespace ke
