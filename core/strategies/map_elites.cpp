// MAP-Elites, steady state [Mouret2015]: draw an operator by weight, draw its parents from the
// island's elites, offer the child to the archive. Parent selection is one of
//   uniform    all elites equally likely
//   rank       weight n, n-1, ..., 1 by objective
//   curiosity  weight max(0.1, score); +1 for a child that entered, -0.5 for one that did not
//              [Cully2018]
//   puct       the elite i with the largest  q_i + puct_exploration P_i sqrt(1 + T) / (1 + n_i):
//              the form of AlphaGo Zero [Silver2017] with the value and prior of [Yuksekgonul2026].
//              q_i is ln f of the best kernel among i and its descendants, scaled to [0, 1]
//              by the least and the largest of all elites; P_i is proportional to m, m - 1, ..., 1
//              by objective; n_i counts asks of i and its descendants, T all asks. Ties go to the
//              earlier cell. f is worth(); further parents are the next ones in this order

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"
#include "core/strategies/puct.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

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

  void tell(const Told& told) override {
    const bool entered =
        told.addition.status == Addition::new_cell || told.addition.status == Addition::improved;
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
