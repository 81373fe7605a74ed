#include "experiments/study/landscape/score.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "experiments/run/config/document.hpp"
#include "experiments/run/evaluators/landscape.hpp"
#include "experiments/run/run_in_memory.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {

std::vector<double> ranked_quality(const Landscape& landscape) {
  std::vector<double> ranked;
  for (const Landscape::Point& point : landscape.points()) {
    ranked.push_back(point.verdict == Verdict::ok ? landscape.best_time() / point.time : 0);
  }
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  return ranked;
}

double expected_best(std::span<const double> ranked, std::int64_t draws) {
  if (ranked.empty() || draws < 1) return 0;
  const auto size = static_cast<double>(ranked.size());
  const auto n = static_cast<double>(draws);
  double sum = 0;
  double none_better = 1;  // chance that none of the i best ones was drawn
  for (std::size_t i = 0; i < ranked.size() && none_better > 0; ++i) {
    const double left = size - static_cast<double>(i);
    // chance that the best one left was drawn, given that
    const double drawn = std::min(1.0, n / left);
    sum += ranked[i] * none_better * drawn;
    none_better *= 1 - drawn;
  }
  return sum;
}

namespace {

namespace fs = std::filesystem;

Result<void> collect(const std::string& word, std::vector<std::string>& files) {
  std::error_code code;
  if (!fs::is_directory(word, code)) {
    KE_TRY(std::string file, find_landscape(word, "."));
    files.push_back(std::move(file));
    return {};
  }
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(word, code)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".json") || path.ends_with(".json.gz")) found.push_back(path);
  }
  if (found.empty()) return Error{Failure::usage, word + ": holds no *.json or *.json.gz"};
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return {};
}

}  // namespace

Result<std::vector<LandscapeFile>> read_landscapes(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) KE_TRY_VOID(collect(word, files));
  std::set<std::string> names;
  std::erase_if(files,
                [&](const auto& file) { return !names.insert(landscape_name(file)).second; });
  std::vector<std::future<Result<std::shared_ptr<const Landscape>>>> reading;
  for (const std::string& file : files) {
    reading.push_back(std::async(std::launch::async, [&file] { return read_landscape(file); }));
  }
  std::vector<LandscapeFile> list;
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto landscape = reading[i].get();
    if (landscape) {
      list.push_back({files[i], *std::move(landscape)});
    } else {
      errors.push_back(landscape.error().message);
    }
  }
  if (!errors.empty()) return Error{Failure::config, fmt::format("{}", fmt::join(errors, "\n"))};
  return list;
}

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Observes a run and records the true quality of its best configuration, free of the noise that
/// the search saw.
class Scorer final : public SearchObserver {
 public:
  Scorer(const LandscapeProblem& problem, std::span<const std::int64_t> budgets)
      : problem_(problem), budgets_(budgets) {
    run_.best_at.assign(budgets.size(), 0);
  }

  void on_commit(const StepRecord& record, const SearchStatus&) override {
    for (const auto& candidate : record.candidates) {
      ++run_.proposals;
      if (!candidate->evaluation.measured) continue;
      ++run_.evaluations;
      consider(*candidate);
      note();
    }
  }

  ScoredRun finish(double cpu_s) {
    while (next_ < budgets_.size()) run_.best_at[next_++] = best_;
    run_.cpu_s = cpu_s;
    return std::move(run_);
  }

 private:
  void consider(const Candidate& candidate) {
    const Evaluation& evaluation = candidate.evaluation;
    if (evaluation.verdict != Verdict::ok || evaluation.objective <= seen_) return;
    seen_ = evaluation.objective;
    const auto point = problem_.landscape().find(candidate.kernel);
    KE_CHECK(point);
    best_ = problem_.landscape().best_time() / problem_.landscape().points()[*point].time;
  }

  void note() {
    for (std::size_t i = 0; i < score_margins.size(); ++i) {
      if (run_.reached[i] == 0 && best_ * (1 + score_margins[i]) >= 1) {
        run_.reached[i] = run_.evaluations;
      }
    }
    while (next_ < budgets_.size() && budgets_[next_] <= run_.evaluations) {
      run_.best_at[next_++] = best_;
    }
  }

  const LandscapeProblem& problem_;
  std::span<const std::int64_t> budgets_;
  ScoredRun run_;
  std::size_t next_ = 0;
  double seen_ = 0;  ///< highest objective so far, as measured
  double best_ = 0;  ///< true quality of that configuration
};

struct Work {
  std::size_t experiment = 0;
  std::size_t landscape = 0;
  std::size_t seed = 0;
};

/// Makes one subject per landscape.
Result<std::vector<Subject>> subjects_of(const Experiment& experiment,
                                         const std::vector<LandscapeFile>& landscapes) {
  std::vector<Subject> subjects;
  for (const LandscapeFile& file : landscapes) {
    ParamLog log;
    Params top(&experiment.document, "", log);
    Params device = top.section("device");
    KE_TRY(Subject subject, landscape_subject(device, file.landscape, file.file));
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

Result<ScoredRun> run_one(const ScoreRequest& request, const Subject& subject,
                          const Experiment& experiment, std::int64_t seed) {
  Scorer scorer(*subject.landscape, request.budgets);
  const double before = cpu_seconds();
  KE_TRY_VOID(run_in_memory(experiment, subject, seed, scorer));
  return scorer.finish(cpu_seconds() - before);
}

}  // namespace

Result<Experiment> score_experiment(Node document, const std::string& name, std::int64_t budget) {
  const Node* device = document.find("device");
  const Node* kind = device == nullptr ? nullptr : device->find("kind");
  if (kind == nullptr || kind->scalar != "landscape") {
    return Error{Failure::config,
                 name + ": 'device.kind' must be landscape; 'device=landscape' makes it so"};
  }
  if (document.find("task") == nullptr) document.set("task", scalar_node("landscape"));
  KE_TRY(Experiment experiment, read_experiment(std::move(document), name));
  experiment.limits.evaluations = budget;
  experiment.verify.cells = 0;
  return experiment;
}

Json raw_scores(const ScoreRequest& request, const ScoredRuns& scored) {
  Json json = {{"budgets", request.budgets},  {"seeds", request.seeds.size()},
               {"threads", request.threads},  {"wall_s", scored.wall_s},
               {"landscapes", Json::array()}, {"experiments", Json::array()}};
  for (const LandscapeFile& file : request.landscapes) {
    const std::vector<double> ranked = ranked_quality(*file.landscape);
    Json random = Json::array();
    for (const std::int64_t budget : request.budgets)
      random.push_back(expected_best(ranked, budget));
    json["landscapes"].push_back({{"name", file.landscape->name()}, {"random", std::move(random)}});
  }
  for (std::size_t e = 0; e < request.experiments.size(); ++e) {
    Json landscapes = Json::array();
    for (const auto& seeds : scored.runs[e]) {
      Json list = Json::array();
      for (const ScoredRun& run : seeds) {
        list.push_back({{"best_at", run.best_at},
                        {"reached", run.reached},
                        {"evaluations", run.evaluations},
                        {"proposals", run.proposals},
                        {"cpu_s", run.cpu_s}});
      }
      landscapes.push_back(std::move(list));
    }
    json["experiments"].push_back(
        {{"name", request.experiments[e].name}, {"runs", std::move(landscapes)}});
  }
  return json;
}

Result<ScoredRuns> score(const ScoreRequest& request) {
  std::vector<std::vector<Subject>> subjects;
  std::vector<Work> work;
  ScoredRuns scored;
  for (std::size_t e = 0; e < request.experiments.size(); ++e) {
    KE_TRY(auto own, subjects_of(request.experiments[e], request.landscapes));
    subjects.push_back(std::move(own));
    scored.runs.emplace_back(request.landscapes.size(),
                             std::vector<ScoredRun>(request.seeds.size()));
    for (std::size_t l = 0; l < request.landscapes.size(); ++l) {
      for (std::size_t s = 0; s < request.seeds.size(); ++s) work.push_back({e, l, s});
    }
  }
  const auto start = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<void> failed;
  const auto drain = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++) {
      const auto [e, l, s] = work[i];
      auto run = run_one(request, subjects[e][l], request.experiments[e], request.seeds[s]);
      if (run) {
        scored.runs[e][l][s] = *std::move(run);
      } else {
        const std::lock_guard lock(mutex);
        failed = run.error();
        next = work.size();
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t t = 1; t < request.threads; ++t) threads.emplace_back(drain);
  drain();
  for (auto& thread : threads) thread.join();
  if (!failed) return failed.error();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  scored.wall_s = wall.count();
  return scored;
}

}  // namespace ke
