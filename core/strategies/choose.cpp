#include "core/strategies/choose.hpp"

#include <algorithm>
#include <functional>

#include "core/portable_math.hpp"

namespace ke {
namespace {

/// A proposal of `choice` on `first`; further parents are drawn among `mates`.
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

}  // namespace

const OperatorChoice* draw_operator(std::span<const OperatorChoice> operators,
                                    std::size_t available, RandomStream& random) {
  std::vector<double> weights;
  double sum = 0;
  for (const auto& choice : operators) {
    const bool served = static_cast<std::size_t>(choice.arity) <= available;
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
  const OperatorChoice* choice = draw_operator(view, 1 + mates.size(), random);
  if (choice == nullptr) return fresh(view, random);
  return mated(*choice, first, std::move(mates), random);
}

Proposal vary(const IslandView& view, const CandidatePtr& first, RandomStream& random) {
  const auto& elites = view.archive.elites();
  const auto is_first = [&](const auto& elite) { return elite->id == first->id; };
  const auto others = std::ranges::count_if(elites, std::not_fn(is_first), &Elite::candidate);
  const OperatorChoice* choice = draw_operator(view, 1 + static_cast<std::size_t>(others), random);
  if (choice == nullptr) return fresh(view, random);
  std::vector<CandidatePtr> mates;
  if (choice->arity > 1) {  // most operators take one parent: no need to put the elites in order
    mates = best_elites(view.archive);
    std::erase_if(mates, is_first);
  }
  return mated(*choice, first, std::move(mates), random);
}

bool is_usable(const Candidate& candidate) {
  return candidate.outcome == OutcomeKind::kernel && candidate.evaluation.verdict == Verdict::ok;
}

bool is_better(const CandidatePtr& a, const CandidatePtr& b) {
  const double x = a->evaluation.objective;
  const double y = b->evaluation.objective;
  return x != y ? x > y : a->id < b->id;
}

std::vector<CandidatePtr> best_elites(const Archive& archive) {
  std::vector<CandidatePtr> list;
  for (const Elite& elite : archive.elites()) list.push_back(elite.candidate);
  std::sort(list.begin(), list.end(), is_better);
  return list;
}

double log_ratio(double a, double b) { return a > 0 && b > 0 ? portable_log(a / b) : a - b; }

}  // namespace ke
