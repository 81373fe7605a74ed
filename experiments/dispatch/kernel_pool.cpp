#include "experiments/dispatch/kernel_pool.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "experiments/view/report/candidates.hpp"

namespace ke {
namespace {

constexpr std::size_t looked_at = 64;  ///< best candidates examined per run

/// Candidates with their score by one criterion.
using Ranking = std::vector<std::pair<double, CandidatePtr>>;

/// Rankings by criterion: "" over all bench workloads, else the name of one.
using Rankings = std::map<std::string, Ranking>;

Result<void> add_fast(const RunReader& run, Rankings& rankings) {
  KE_TRY(const auto best, run.best(looked_at));
  for (const LogicalId& id : best) {
    KE_TRY(const auto view, run.candidate(id));
    if (!view) continue;
    rankings[""].emplace_back(view->candidate->evaluation.objective, view->candidate);
    KE_TRY(const auto facts, run.facts(id));
    const auto screened = std::ranges::find_if(facts, [](const FactView& one) {
      return one.purpose == JobKind::screen && one.fact.comparison;
    });
    if (screened == facts.end()) continue;
    for (const WorkloadTiming& timing : screened->fact.comparison->workloads) {
      rankings[timing.workload].emplace_back(timing.speedup, view->candidate);
    }
  }
  return {};
}

Result<Ranking> elites_of(const RunReader& run) {
  KE_TRY(const auto rows, run.elites());
  Ranking ranking;
  for (const EliteRow& row : rows) {
    KE_TRY(const auto view, run.candidate(row.candidate));
    if (view) ranking.emplace_back(row.objective, view->candidate);
  }
  return ranking;
}

class Pool {
 public:
  explicit Pool(std::size_t most) : most_(most) {}

  bool full() const { return kernels_.size() >= most_; }

  /// Returns false if the candidate has no source or its build is already there.
  bool add(const RunReader& run, const Candidate& candidate) {
    if (candidate.kernel.source.empty() || !builds_.insert(candidate.evaluation.build_hash).second)
      return false;
    const std::string file = std::filesystem::path(run.path()).filename().string();
    kernels_.push_back({candidate.kernel, file + " " + candidate.id.text()});
    return true;
  }

  std::vector<PoolKernel> take() { return std::move(kernels_); }

 private:
  std::size_t most_;
  std::set<Digest> builds_;
  std::vector<PoolKernel> kernels_;
};

/// A ranked list of one run to take kernels from.
struct Source {
  const RunReader* run;
  Ranking ranking;  ///< best first
  std::size_t next = 0;

  /// Returns false when the list is used up.
  bool give(Pool& pool) {
    while (next < ranking.size()) {
      if (pool.add(*run, *ranking[next++].second)) return true;
    }
    return false;
  }
};

Source source_of(const RunReader& run, Ranking ranking) {
  std::ranges::stable_sort(ranking, std::greater<>(), &Ranking::value_type::first);
  return {&run, std::move(ranking)};
}

}  // namespace

Result<std::vector<PoolKernel>> kernel_pool(const std::vector<std::unique_ptr<RunReader>>& runs,
                                            std::size_t most) {
  Pool pool(most);
  KE_TRY(const CandidateView champion, find_candidate(*runs.front(), "champion"));
  pool.add(*runs.front(), *champion.candidate);
  std::vector<Source> sources;
  for (const auto& run : runs) {
    Rankings rankings;
    KE_TRY_VOID(add_fast(*run, rankings));
    for (auto& [name, ranking] : rankings) sources.push_back(source_of(*run, std::move(ranking)));
    KE_TRY(Ranking elites, elites_of(*run));
    sources.push_back(source_of(*run, std::move(elites)));
  }
  for (bool more = true; more && !pool.full();) {
    more = false;
    for (Source& source : sources) {
      if (!pool.full() && source.give(pool)) more = true;
    }
  }
  return pool.take();
}

}  // namespace ke
