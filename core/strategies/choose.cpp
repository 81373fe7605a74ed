#include "core/strategies/choose.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/portable_math.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

/// A proposal of `choice` on `first`; draws further parents among `mates`.
Proposal mated(const OperatorChoice& choice, const CandidatePtr& first,
               std::vector<CandidatePtr> mates, RandomStream& random) {
  Proposal proposal{choice.name, {}};
  if (choice.arity > 0) proposal.parents.push_back({first, ParentRole::parent});
  for (int i = 1; i < choice.arity; ++i) {
    std::swap(mates[random.below(mates.size())], mates.back());
    proposal.parents.push_back({mates.back(), ParentRole::parent});
    mates.pop_back();
  }
  return proposal;
}

/// Draws an operator that suits `first`.
const OperatorChoice* draw_for(const IslandView& view, const CandidatePtr& first,
                               std::size_t available, RandomStream& random) {
  const auto unsuited = [&](const OperatorChoice& choice) { return !view.suits(choice, *first); };
  if (std::ranges::none_of(view.operators, unsuited)) return draw_operator(view, available, random);
  std::vector<OperatorChoice> choices(view.operators.begin(), view.operators.end());
  for (OperatorChoice& choice : choices) choice.idle = choice.idle || unsuited(choice);
  const OperatorChoice* drawn = view.selection != nullptr
                                    ? view.selection->draw(choices, available, random)
                                    : draw_operator(choices, available, random);
  return drawn == nullptr ? nullptr
                          : &view.operators[static_cast<std::size_t>(drawn - choices.data())];
}

}  // namespace

const OperatorChoice* draw_operator(std::span<const OperatorChoice> operators,
                                    std::size_t available, RandomStream& random) {
  std::vector<double> weights;
  double sum = 0;
  for (const auto& choice : operators) {
    const bool served = !choice.idle && static_cast<std::size_t>(choice.arity) <= available;
    weights.push_back(served ? choice.weight : 0);
    sum += weights.back();
  }
  return sum > 0 ? &operators[random.weighted(weights)] : nullptr;
}

const OperatorChoice* draw_operator(const IslandView& view, std::size_t available,
                                    RandomStream& random) {
  if (view.selection != nullptr) return view.selection->draw(view.operators, available, random);
  return draw_operator(view.operators, available, random);
}

std::optional<Proposal> opening(const IslandView& view, RandomStream& random) {
  const auto step = static_cast<std::size_t>(view.step);
  if (step < view.seeds) return Proposal{"seed_source", {}};
  if (!view.archive.elites().empty()) return std::nullopt;
  const OperatorChoice* choice = draw_operator(view, 0, random);
  return Proposal{choice == nullptr ? "seed_source" : choice->name, {}};
}

Proposal fresh(const IslandView& view, RandomStream& random) {
  const OperatorChoice* choice = draw_operator(view, 0, random);
  return {choice == nullptr ? "random_restart" : choice->name, {}};
}

Proposal vary(const IslandView& view, const CandidatePtr& first,
              std::span<const CandidatePtr> others, RandomStream& random) {
  std::vector<CandidatePtr> mates;
  for (const auto& other : others) {
    if (other->id != first->id) mates.push_back(other);
  }
  const OperatorChoice* choice = draw_for(view, first, 1 + mates.size(), random);
  if (choice == nullptr) return fresh(view, random);
  return mated(*choice, first, std::move(mates), random);
}

Proposal vary(const IslandView& view, const CandidatePtr& first, RandomStream& random) {
  const auto& elites = view.archive.elites();
  const auto is_first = [&](const auto& elite) { return elite->id == first->id; };
  const auto others = std::ranges::count_if(elites, std::not_fn(is_first), &Elite::candidate);
  const OperatorChoice* choice =
      draw_for(view, first, 1 + static_cast<std::size_t>(others), random);
  if (choice == nullptr) return fresh(view, random);
  std::vector<CandidatePtr> mates;
  if (choice->arity > 1) {  // one parent needs no sorted elites
    mates = best_elites(view.archive);
    std::erase_if(mates, is_first);
  }
  return mated(*choice, first, std::move(mates), random);
}

bool is_usable(const Candidate& candidate) {
  return candidate.outcome == OutcomeKind::kernel && candidate.evaluation.verdict == Verdict::ok;
}

bool is_better(const CandidatePtr& a, const CandidatePtr& b) {
  const double x = worth(a->evaluation);
  const double y = worth(b->evaluation);
  return x != y ? x > y : a->id < b->id;
}

std::vector<CandidatePtr> best_elites(const Archive& archive) {
  std::vector<CandidatePtr> list;
  for (const Elite& elite : archive.elites()) list.push_back(elite.candidate);
  std::sort(list.begin(), list.end(), is_better);
  return list;
}

std::vector<double> rank_weights(const std::vector<Elite>& elites) {
  std::vector<std::size_t> order(elites.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return worth(elites[a].candidate->evaluation) > worth(elites[b].candidate->evaluation);
  });
  std::vector<double> weights(elites.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    weights[order[rank]] = static_cast<double>(order.size() - rank);
  }
  return weights;
}

double log_ratio(double a, double b) { return a > 0 && b > 0 ? portable_log(a / b) : a - b; }

}  // namespace ke
