// Novelty search with local competition [Lehman2011]. Over all kernels told so far:
//   novelty(x)      mean distance to the `neighbours` nearest ones, in measure space [0, 1]^n
//   competition(x)  share of these neighbours with a lower objective
// A parent is the one of `tournament` drawn kernels that no other of them dominates in both; ties
// by novelty, then by age. The paper ranks a population by the same two objectives with NSGA-II;
// here the latest `memory` kernels are the population. Distances use the archive's measures, or
// without measures the positions of the knobs in their lists.

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/knob_space.hpp"
#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

using Point = std::vector<double>;

/// Position of each knob's value in its list, scaled to [0, 1].
Point knob_position(const Candidate& candidate) {
  Point point;
  if (!candidate.space) return point;
  for (const Knob& knob : candidate.space->knobs) {
    const auto at = static_cast<double>(knob.index_of(candidate.kernel.knobs.at(knob.name)));
    const auto last = static_cast<double>(knob.values.size() - 1);
    point.push_back(last == 0 ? 0 : at / last);
  }
  return point;
}

double distance(const Point& a, const Point& b) {
  if (a.size() != b.size()) return 1;  // kernels of different sources
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

class Novelty final : public Strategy {
 public:
  explicit Novelty(Params& params)
      : neighbours_(static_cast<std::size_t>(
            params.integer("neighbours", 10, {1, 1000}, "nearest kernels that are looked at"))),
        tournament_(params.integer("tournament", 4, {1, 1000}, "kernels drawn for each parent")),
        memory_(static_cast<std::size_t>(
            params.integer("memory", 1000, {2, 100'000}, "latest kernels kept for distances"))) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (kept_.empty()) waiting_ = best_elites(view.archive);
    for (const CandidatePtr& candidate : waiting_) keep(candidate, view.archive);
    waiting_.clear();
    const CandidatePtr first = select(random);
    const std::vector<CandidatePtr> other = {select(random), select(random)};
    const bool twins = other[0]->id == other[1]->id;
    return vary(view, first, {other.data(), twins ? std::size_t{1} : std::size_t{2}}, random);
  }

  void tell(const Commit& told) override {
    if (is_usable(*told.candidate)) waiting_.push_back(told.candidate);
  }

 private:
  struct Kept {
    CandidatePtr candidate;
    Point place;
  };
  struct Merit {
    double novelty = 0;
    double competition = 0;
  };

  void keep(const CandidatePtr& candidate, const Archive& archive) {
    Point place = archive.position(*candidate);
    if (place.empty()) place = knob_position(*candidate);
    kept_.push_back({candidate, std::move(place)});
    if (kept_.size() > memory_) kept_.pop_front();
  }

  Merit merit(const Kept& one) const {
    std::vector<std::pair<double, std::size_t>> near;
    near.reserve(kept_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].candidate != one.candidate)
        near.emplace_back(distance(one.place, kept_[i].place), i);
    }
    const std::size_t count = std::min(neighbours_, near.size());
    if (count == 0) return {};
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
    Merit sum;
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& other = *kept_[near[i].second].candidate;
      sum.novelty += near[i].first;
      sum.competition += other.evaluation.objective < one.candidate->evaluation.objective ? 1 : 0;
    }
    const auto n = static_cast<double>(count);
    return {sum.novelty / n, sum.competition / n};
  }

  const CandidatePtr& select(RandomStream& random) const {
    std::size_t best = random.below(kept_.size());
    Merit most = merit(kept_[best]);
    for (std::int64_t i = 1; i < tournament_; ++i) {
      const std::size_t rival = random.below(kept_.size());
      const Merit its = merit(kept_[rival]);
      if (!wins(its, rival, most, best)) continue;
      best = rival;
      most = its;
    }
    return kept_[best].candidate;
  }

  static bool wins(const Merit& a, std::size_t age_a, const Merit& b, std::size_t age_b) {
    if (a.novelty >= b.novelty && a.competition > b.competition) return true;
    if (b.novelty >= a.novelty && b.competition > a.competition) return false;
    return a.novelty != b.novelty ? a.novelty > b.novelty : age_a < age_b;
  }

  std::size_t neighbours_;
  std::int64_t tournament_;
  std::size_t memory_;
  std::vector<CandidatePtr> waiting_;
  std::deque<Kept> kept_;
};

}  // namespace

std::unique_ptr<Strategy> make_novelty_strategy(Params& params) {
  return std::make_unique<Novelty>(params);
}

}  // namespace ke
