// Genetic algorithm with tournament selection and elitism [Goldberg1991], in two forms:
//   steady_state   a child that is better than the worst of the population replaces it
//                  [Whitley1989, GENITOR]
//   generational   after size - elites children were told, the best `elites` of the population and
//                  the best of the children form the next population
// Operators without parents fill the first population. A parent is the best of `tournament` members
// drawn with replacement; an operator with several parents gets distinct ones. Copies of known
// kernels never enter.

#include <algorithm>

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class Genetic final : public Strategy {
 public:
  explicit Genetic(Params& params)
      : generational_(params.choice("form", "steady_state", {"steady_state", "generational"},
                                    "how children replace the population") == "generational"),
        size_(static_cast<std::size_t>(
            params.integer("population", 20, {2, 100'000}, "kernels of the population"))),
        tournament_(params.integer("tournament", 2, {1, 1000}, "kernels drawn for each parent")),
        elites_(static_cast<std::size_t>(params.integer(
            "elites", 1, {0, 100'000}, "generational: kernels that survive as they are"))) {
    if (elites_ >= size_) params.fail("elites", "must be below 'population'");
  }

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (population_.empty()) population_ = best_elites(view.archive);
    if (asked_ < size_) {
      ++asked_;
      return fresh(view, random);
    }
    const CandidatePtr& mother = select(random);
    std::vector<CandidatePtr> fathers;
    for (int i = 0; i < mates; ++i) fathers.push_back(select(random));
    std::sort(fathers.begin(), fathers.end(), is_better);
    const auto same = [](const auto& a, const auto& b) { return a->id == b->id; };
    fathers.erase(std::unique(fathers.begin(), fathers.end(), same), fathers.end());
    return vary(view, mother, fathers, random);
  }

  void tell(const Commit& told) override {
    if (is_usable(*told.candidate)) {
      if (population_.size() < size_) {
        population_.push_back(told.candidate);
        return;
      }
      enter(told.candidate);
    }
    if (generational_ && ++told_ >= size_ - std::min(elites_, size_ - 1)) next_generation();
  }

 private:
  static constexpr int mates = 4;  ///< drawn for operators with more than one parent

  const CandidatePtr& select(RandomStream& random) const {
    std::size_t best = random.below(population_.size());
    for (std::int64_t i = 1; i < tournament_; ++i) {
      const std::size_t rival = random.below(population_.size());
      if (is_better(population_[rival], population_[best])) best = rival;
    }
    return population_[best];
  }

  void enter(const CandidatePtr& child) {
    if (generational_) return children_.push_back(child);
    const auto worst = std::max_element(population_.begin(), population_.end(), is_better);
    if (is_better(child, *worst)) *worst = child;
  }

  void next_generation() {
    std::sort(population_.begin(), population_.end(), is_better);
    std::sort(children_.begin(), children_.end(), is_better);
    // Parents keep the places of failed children.
    const std::size_t places = size_ - std::min(elites_, size_ - 1);
    if (children_.size() > places) children_.resize(places);
    const std::size_t kept = std::min(population_.size(), size_ - children_.size());
    population_.resize(kept);
    population_.insert(population_.end(), children_.begin(), children_.end());
    children_.clear();
    told_ = 0;
  }

  bool generational_;
  std::size_t size_;
  std::int64_t tournament_;
  std::size_t elites_;
  std::size_t asked_ = 0;
  std::size_t told_ = 0;
  std::vector<CandidatePtr> population_;
  std::vector<CandidatePtr> children_;
};

}  // namespace

std::unique_ptr<Strategy> make_genetic_strategy(Params& params) {
  return std::make_unique<Genetic>(params);
}

}  // namespace ke
