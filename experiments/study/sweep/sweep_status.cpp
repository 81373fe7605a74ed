#include "experiments/study/sweep/sweep_status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "archive/run_reader.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/study/sweep/sweep_index.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

using Signs = std::map<std::string, Running>;  // by run

Signs signs_in(const std::string& folder) {
  Signs signs;
  for (const Running& sign : read_running(folder)) {
    for (const std::string& run : sign.runs) signs[run] = sign;
  }
  return signs;
}

/// A process of this host holds the file open.
bool is_written_here(const std::string& file) {
  const auto reader = RunReader::open(file);
  if (!reader) return false;
  const auto state = (*reader)->state();
  return state && *state == RunState::running;
}

void classify(const std::string& folder, const std::string& run, const SweepIndex& index,
              const Signs& signs, SweepProgress& progress) {
  const std::string file = (fs::path(folder) / run).string();
  const bool there = fs::exists(file);
  const auto sign = signs.find(run);
  const auto failure = index.failures.find(run);
  if (there && stop_of(file)) {
    progress.finished.push_back(run);
  } else if (sign != signs.end()) {
    progress.running[run] = sign->second;
  } else if (failure != index.failures.end()) {
    progress.failed[failure->second.message].push_back(run);
  } else if (there && is_written_here(file)) {
    progress.running[run] = {};
  } else {
    progress.missing.push_back(run);
    if (there) progress.saved.push_back(run);
  }
}

std::string running_text(const SweepProgress& progress) {
  std::set<std::string> places;
  for (const auto& [run, sign] : progress.running) {
    if (sign.host.empty()) continue;
    places.insert(sign.host + (sign.job.empty() ? "" : fmt::format(" (job {})", sign.job)));
  }
  return places.empty() ? "" : fmt::format("  on {}", fmt::join(places, ", "));
}

}  // namespace

std::size_t SweepProgress::planned() const {
  std::size_t count = finished.size() + running.size() + missing.size();
  for (const auto& [reason, runs] : failed) count += runs.size();
  return count;
}

Result<SweepProgress> progress_of(const std::string& folder) {
  KE_TRY(const auto index, read_sweep_index(folder));
  if (!index) {
    return Error{Failure::usage, folder + ": no folder of a sweep: it has no sweep.json"};
  }
  const Signs signs = signs_in(folder);
  SweepProgress progress;
  progress.name = index->name;
  for (const IndexedRun& run : index->runs) classify(folder, run.file, *index, signs, progress);
  return progress;
}

std::string text_of(const SweepProgress& progress) {
  std::string text = fmt::format("'{}', {} runs\nfinished {:>6}\nrunning  {:>6}{}\n", progress.name,
                                 progress.planned(), progress.finished.size(),
                                 progress.running.size(), running_text(progress));
  for (const auto& [reason, runs] : progress.failed) {
    text += fmt::format("failed   {:>6}  {}: {}\n", runs.size(), runs.front(), reason);
  }
  if (progress.failed.empty()) text += "failed        0\n";
  const std::string saved = fmt::format("  {} go on from a saved state", progress.saved.size());
  text += fmt::format("missing  {:>6}{}\n", progress.missing.size(),
                      progress.saved.empty() ? "" : saved);
  return text;
}

Json json_of(const SweepProgress& progress) {
  Json running = Json::array(), failed = Json::array();
  for (const auto& [run, sign] : progress.running) {
    running.push_back({{"file", run}, {"host", sign.host}, {"job", sign.job}});
  }
  for (const auto& [reason, runs] : progress.failed) {
    for (const std::string& run : runs) failed.push_back({{"file", run}, {"message", reason}});
  }
  return {{"name", progress.name},
          {"planned", progress.planned()},
          {"finished", progress.finished},
          {"running", running},
          {"failed", failed},
          {"missing", progress.missing},
          {"saved", progress.saved}};
}

}  // namespace ke
