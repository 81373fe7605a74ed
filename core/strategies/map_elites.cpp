// MAP-Elites, steady state [Mouret2015]: draw an operator by weight, draw its parents from the
// island's elites, offer the child to the archive. Parent selection is one of
//   uniform    all elites equally likely
//   rank       weight n, n-1, ..., 1 by objective
//   curiosity  weight max(0.1, score); +1 for a child that entered, -0.5 for one that did not
//              [Cully2018]
//   puct       the elite i with the largest  q_i + puct_exploration P_i sqrt(1 + T) / (1 + n_i):
//              the form of AlphaGo Zero [Silver2017] with the value and prior of [Yuksekgonul2026].
//              q_i is ln worth() of the best kernel among i and its descendants, scaled to
//              [0, 1] over all elites; P_i is the weight of `rank`, normalised; n_i counts asks of
//              i and its descendants, T all asks. Ties go to the earlier cell; further parents are
//              the next ones in this order

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/archive.hpp"
#include "core/registry.hpp"
#include "core/strategies/choose.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

class Puct {
 public:
  explicit Puct(double exploration) : exploration_(exploration) {}

  /// One positive score per elite; the largest is asked next.
  std::vector<double> scores(const std::vector<Elite>& elites) const {
    std::vector<double> values;
    for (const Elite& elite : elites) values.push_back(log_ratio(best_of(*elite.candidate), 1));
    const auto [low, high] = std::ranges::minmax(values);
    const std::vector<double> ranks = rank_weights(elites);
    const double sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
    for (std::size_t i = 0; i < elites.size(); ++i) {
      const auto found = lines_.find(elites[i].candidate->id);
      const double visits = found == lines_.end() ? 0 : found->second.visits;
      const double quality = high > low ? (values[i] - low) / (high - low) : 0;
      const double bonus = ranks[i] / sum * std::sqrt(1 + asks_) / (1 + visits);
      values[i] = quality + exploration_ * bonus + 1e-12;  // above 0, a taken elite's weight
    }
    return values;
  }

  /// Counts a visit of the parents and of their ancestors.
  void ask(std::span<const Parent> parents) {
    ++asks_;
    std::vector<LogicalId> ids;
    for (const Parent& parent : parents) ids.push_back(parent.candidate->id);
    for (const LogicalId& id : line_of(std::move(ids))) ++lines_[id].visits;
  }

  /// Records a candidate's parents; a working candidate updates the best of all its ancestors.
  void tell(const Candidate& candidate) {
    Line& own = lines_[candidate.id];
    for (const Ancestor& ancestor : candidate.ancestors) {
      if (std::ranges::find(own.parents, ancestor.id) == own.parents.end()) {
        own.parents.push_back(ancestor.id);
      }
    }
    if (!is_usable(candidate)) return;
    for (const LogicalId& id : line_of({candidate.id})) {
      double& best = lines_[id].best;
      best = std::max(best, worth(candidate.evaluation));
    }
  }

 private:
  struct Line {
    std::vector<LogicalId> parents;
    double visits = 0;
    double best = 0;  ///< largest worth among the kernel and its descendants; 0 = none yet
  };
  /// The ids and all their ancestors, each once.
  std::vector<LogicalId> line_of(std::vector<LogicalId> ids) const {
    std::vector<LogicalId> line;
    std::unordered_set<LogicalId, HashLogicalId> seen;
    while (!ids.empty()) {
      const LogicalId id = ids.back();
      ids.pop_back();
      if (!seen.insert(id).second) continue;
      line.push_back(id);
      const auto found = lines_.find(id);
      if (found == lines_.end()) continue;
      ids.insert(ids.end(), found->second.parents.begin(), found->second.parents.end());
    }
    return line;
  }

  double best_of(const Candidate& elite) const {
    const auto found = lines_.find(elite.id);
    const double own = worth(elite.evaluation);
    return found == lines_.end() ? own : std::max(own, found->second.best);
  }

  double exploration_;
  double asks_ = 0;
  std::unordered_map<LogicalId, Line, HashLogicalId> lines_;
};

constexpr double curiosity_gain = 1.0;
constexpr double curiosity_loss = 0.5;
constexpr double curiosity_floor = 0.1;

class MapElites final : public Strategy {
 public:
  explicit MapElites(Params& params)
      : selection_(params.choice("parent", "curiosity", {"uniform", "rank", "curiosity", "puct"},
                                 "how parents are drawn among the elites")) {
    if (selection_ != "puct") return;
    puct_.emplace(params.real("puct_exploration", 1, {0, 100}, "puct: weight of the bonus"));
  }

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    const auto& elites = view.archive.elites();
    const OperatorChoice* choice = draw_operator(view, elites.size(), random);
    if (choice == nullptr) return {"seed_source", {}};
    Proposal proposal{choice->name, {}};
    std::vector<double> weights = weigh(elites);
    for (int i = 0; i < choice->arity; ++i) {
      const std::vector<double> first = i == 0 ? suited(view, *choice, weights) : weights;
      const std::size_t drawn = puct_ ? largest(first) : random.weighted(first);
      proposal.parents.push_back({elites[drawn].candidate, ParentRole::parent});
      weights[drawn] = 0;  // parents of one child differ
    }
    if (puct_) puct_->ask(proposal.parents);
    return proposal;
  }

  void tell(const Commit& told) override {
    const bool entered = has_entered(told.addition.status);
    if (puct_) puct_->tell(*told.candidate);
    for (const Ancestor& ancestor : told.candidate->ancestors) {
      if (ancestor.role == ParentRole::inspiration) continue;  // it was not drawn
      double& score = curiosity_.try_emplace(ancestor.id, 1.0).first->second;
      score = std::max(curiosity_floor, score + (entered ? curiosity_gain : -curiosity_loss));
    }
  }

 private:
  std::vector<double> weigh(const std::vector<Elite>& elites) const {
    std::vector<double> weights(elites.size(), 1.0);
    if (selection_ == "rank") return rank_weights(elites);
    if (puct_) return puct_->scores(elites);
    if (selection_ == "curiosity") {
      for (std::size_t i = 0; i < elites.size(); ++i) {
        const auto found = curiosity_.find(elites[i].candidate->id);
        if (found != curiosity_.end()) weights[i] = found->second;
      }
    }
    return weights;
  }

  /// The weights of elites that suit the operator; all weights when none suits.
  static std::vector<double> suited(const IslandView& view, const OperatorChoice& choice,
                                    const std::vector<double>& weights) {
    std::vector<double> rest = weights;
    const auto& elites = view.archive.elites();
    for (std::size_t i = 0; i < elites.size(); ++i) {
      if (!view.suits(choice, *elites[i].candidate)) rest[i] = 0;
    }
    return std::ranges::any_of(rest, [](double w) { return w > 0; }) ? rest : weights;
  }

  static std::size_t largest(const std::vector<double>& weights) {
    return static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
  }

  std::string selection_;
  std::unordered_map<LogicalId, double, HashLogicalId> curiosity_;
  std::optional<Puct> puct_;
};

}  // namespace

std::unique_ptr<Strategy> make_map_elites_strategy(Params& params) {
  return std::make_unique<MapElites>(params);
}

}  // namespace ke
