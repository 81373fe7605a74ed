// MAP-Elites, steady state [Mouret2015]: draw an operator by weight, draw its parents among the
// island's elites, let the archive keep the child. Parent selection is one of
//   uniform    every elite alike
//   rank       weight n, n-1, ..., 1 by objective
//   curiosity  weight max(0.1, score); +1 for a child that entered, -0.5 for one that did not
//   [Cully2018]

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

constexpr double curiosity_gain = 1.0;
constexpr double curiosity_loss = 0.5;
constexpr double curiosity_floor = 0.1;

class MapElites final : public Strategy {
 public:
  explicit MapElites(Params& params)
      : selection_(params.choice("parent", "curiosity", {"uniform", "rank", "curiosity"},
                                 "how parents are drawn among the elites")) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    const auto& elites = view.archive.elites();
    const OperatorChoice* choice = draw_operator(view, elites.size(), random);
    if (choice == nullptr) return {"seed_source", {}};
    Proposal proposal{choice->name, {}};
    std::vector<double> weights = weigh(elites);
    for (int i = 0; i < choice->arity; ++i) {
      const std::size_t drawn = random.weighted(weights);
      proposal.parents.push_back({elites[drawn].candidate, ParentRole::parent});
      weights[drawn] = 0;  // parents of one child differ
    }
    return proposal;
  }

  void tell(const Told& told) override {
    const bool entered =
        told.addition.status == Addition::new_cell || told.addition.status == Addition::improved;
    for (const Ancestor& ancestor : told.candidate->ancestors) {
      double& score = curiosity_.try_emplace(ancestor.id, 1.0).first->second;
      score = std::max(curiosity_floor, score + (entered ? curiosity_gain : -curiosity_loss));
    }
  }

 private:
  std::vector<double> weigh(const std::vector<Elite>& elites) const {
    std::vector<double> weights(elites.size(), 1.0);
    if (selection_ == "rank") return ranked(elites);
    if (selection_ == "curiosity") {
      for (std::size_t i = 0; i < elites.size(); ++i) {
        const auto found = curiosity_.find(elites[i].candidate->id);
        if (found != curiosity_.end()) weights[i] = found->second;
      }
    }
    return weights;
  }

  static std::vector<double> ranked(const std::vector<Elite>& elites) {
    std::vector<std::size_t> order(elites.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return elites[a].candidate->evaluation.objective > elites[b].candidate->evaluation.objective;
    });
    std::vector<double> weights(elites.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      weights[order[rank]] = static_cast<double>(order.size() - rank);
    }
    return weights;
  }

  std::string selection_;
  std::unordered_map<LogicalId, double, HashLogicalId> curiosity_;
};

}  // namespace

std::unique_ptr<Strategy> make_map_elites_strategy(Params& params) {
  return std::make_unique<MapElites>(params);
}

}  // namespace ke
