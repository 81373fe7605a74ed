#include "experiments/view/report/mlflow.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/text.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

// values of MLflow's RunStatus
constexpr int status_running = 1, status_finished = 3, status_killed = 5;
constexpr int source_local = 4;
constexpr std::size_t id_digits = 32;
constexpr std::size_t longest_param = 6000;

Result<void> write_new(const fs::path& path, const std::string& text) {
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) return Error{Failure::io, path.string() + ": cannot be written"};
  return {};
}

/// MLflow allows letters, digits, '_', '-', '.', ' ' and '/' in names; the file must not be hidden.
std::string key_of(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    key += plain || c == '_' || c == '-' || (c == '.' && !key.empty()) ? c : '_';
  }
  return key;
}

/// Quotes a text for YAML; JSON strings are valid YAML.
std::string yaml_text(const std::string& text) { return json_text(Json(text)); }

/// Derives an experiment ID of 17 digits, because MLflow's IDs are numbers.
std::string experiment_id(const std::string& task) {
  const std::uint64_t bits = std::hash<Digest>{}(sha256("experiment " + task));
  return fmt::format("{:017}", bits % 90'000'000'000'000'000 + 10'000'000'000'000'000);
}

struct RunTimes {
  std::int64_t start_ms = 0;
  std::optional<std::int64_t> end_ms;
};

RunTimes times_of(const std::vector<SessionInfo>& sessions) {
  if (sessions.empty()) return {};
  return {sessions.front().started_ms, sessions.back().stopped_ms};
}

int status_of(RunState state) {
  if (state == RunState::running) return status_running;
  return state == RunState::done ? status_finished : status_killed;
}

std::string experiment_yaml(const std::string& id, const std::string& task, const fs::path& place,
                            std::int64_t created_ms) {
  return fmt::format(
      "artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\nlast_update_time: {}\n"
      "lifecycle_stage: active\nname: {}\n",
      yaml_text("file://" + place.string()), created_ms, id, created_ms, yaml_text(task));
}

std::string run_yaml(const std::string& experiment, const std::string& id, const std::string& name,
                     const fs::path& place, const RunTimes& times, RunState state) {
  return fmt::format(
      "artifact_uri: {}\ndeleted_time: null\nend_time: {}\nentry_point_name: ''\nexperiment_id: "
      "'{}'\n"
      "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nrun_uuid: {}\nsource_name: ''\n"
      "source_type: {}\nsource_version: ''\nstart_time: {}\nstatus: {}\ntags: []\nuser_id: ''\n",
      yaml_text("file://" + (place / "artifacts").string()),
      times.end_ms ? fmt::format("{}", *times.end_ms) : "null", experiment, yaml_text(id),
      yaml_text(name), yaml_text(id), source_local, times.start_ms, status_of(state));
}

Result<void> write_metrics(const RunReader& reader, const fs::path& folder, const RunTimes& times) {
  KE_TRY(const auto points, reader.progress());
  std::string best, qd_score, filled;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ProgressPoint& p = points[i];
    // MLflow stores one value per step: the last one of each number of evaluations.
    if (i + 1 < points.size() && points[i + 1].evaluations == p.evaluations) continue;
    best += fmt::format("{} {} {}\n", p.committed_ms, p.best, p.evaluations);
    qd_score += fmt::format("{} {} {}\n", p.committed_ms, p.qd_score, p.evaluations);
    filled += fmt::format("{} {} {}\n", p.committed_ms, p.filled, p.evaluations);
  }
  if (!points.empty()) {  // MLflow refuses a metric without values
    KE_TRY_VOID(write_new(folder / "best", best));
    KE_TRY_VOID(write_new(folder / "qd_score", qd_score));
    KE_TRY_VOID(write_new(folder / "filled_cells", filled));
  }
  KE_TRY(const auto stop, reader.stop());
  KE_TRY(const auto figures, reader.verified());
  for (const VerifiedFigure& figure : figures) {
    if (!stop || !stop->champion || figure.candidate != *stop->champion) continue;
    KE_TRY_VOID(write_new(folder / "verified" / key_of(figure.role) / key_of(figure.baseline),
                          fmt::format("{} {} {}\n", times.end_ms.value_or(times.start_ms),
                                      figure.speedup, stop->evaluations)));
  }
  return {};
}

Result<void> write_params(const RunHeader& header, const fs::path& folder) {
  for (const std::string_view line : split(header.config_text, '\n')) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) continue;
    KE_TRY_VOID(write_new(folder / key_of(line.substr(0, equals)),
                          std::string(line.substr(equals + 3, longest_param))));
  }
  return {};
}

Result<void> write_tags(const RunReader& reader, const RunHeader& header, const fs::path& folder) {
  KE_TRY(const Digest history, reader.history_hash());
  KE_TRY_VOID(write_new(folder / "mlflow.runName", reader.run_id()));
  KE_TRY_VOID(write_new(folder / "kernelevolve.task", header.task));
  KE_TRY_VOID(write_new(folder / "kernelevolve.seed", fmt::format("{}", header.seed)));
  KE_TRY_VOID(write_new(folder / "kernelevolve.config_id", header.config_id.hex()));
  return write_new(folder / "kernelevolve.history_hash", history.hex());
}

}  // namespace

Result<void> write_mlflow_run(const RunReader& reader, const std::string& folder) {
  KE_TRY(const RunHeader header, reader.header());
  KE_TRY(const auto sessions, reader.sessions());
  KE_TRY(const RunState state, reader.state());
  const RunTimes times = times_of(sessions);
  const std::string experiment = experiment_id(header.task);
  const fs::path above = fs::absolute(folder).lexically_normal() / experiment;
  // The history hash distinguishes runs of one configuration and seed.
  KE_TRY(const Digest history, reader.history_hash());
  const std::string id = sha256(reader.run_id() + " " + history.hex()).short_hex(id_digits);
  const fs::path place = above / id;
  if (fs::exists(place)) {
    return Error{Failure::usage,
                 fmt::format("{}: holds {} already", place.string(), reader.path())};
  }
  if (!fs::exists(above / "meta.yaml")) {
    KE_TRY_VOID(write_new(above / "meta.yaml",
                          experiment_yaml(experiment, header.task, above, times.start_ms)));
  }
  KE_TRY_VOID(write_metrics(reader, place / "metrics", times));
  KE_TRY_VOID(write_params(header, place / "params"));
  KE_TRY_VOID(write_tags(reader, header, place / "tags"));
  return write_new(place / "meta.yaml",
                   run_yaml(experiment, id, reader.run_id(), place, times, state));
}

}  // namespace ke
