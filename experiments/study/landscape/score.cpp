#include "experiments/study/landscape/score.hpp"

#include <fmt/format.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "experiments/run/evaluators/landscape.hpp"
#include "experiments/run/run_in_memory.hpp"

namespace ke {
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
  if (document.find("task") == nullptr) {
    Node task;
    task.kind = Node::Kind::scalar;
    task.scalar = "landscape";
    document.set("task", std::move(task));
  }
  KE_TRY(Experiment experiment, read_experiment(std::move(document), name));
  experiment.limits.evaluations = budget;
  experiment.verify.cells = 0;
  return experiment;
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
