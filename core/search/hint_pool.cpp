#include "core/search/hint_pool.hpp"

#include "core/strategies/choose.hpp"

namespace ke {
namespace {

/// The ok parent with the highest objective; null if there is none.
const Candidate* best_of(std::span<const Parent> parents) {
  const Candidate* best = nullptr;
  for (const Parent& parent : parents) {
    if (parent.role != ParentRole::parent || !is_usable(*parent.candidate)) continue;
    const double objective = parent.candidate->evaluation.objective;
    if (best == nullptr || objective > best->evaluation.objective) best = parent.candidate.get();
  }
  return best;
}

}  // namespace

HintPool::HintPool(HintPlan plan) : plan_(std::move(plan)) {
  KE_CHECK(!plan_.first.empty() && plan_.editor);
  for (const Hint& hint : plan_.first) add(hint);
}

const Hint& HintPool::draw(RandomStream& random) {
  const OperatorChoice* drawn = plan_.selection ? plan_.selection->draw(drawn_from_, 0, random)
                                                : draw_operator(drawn_from_, 0, random);
  KE_CHECK(drawn != nullptr);
  return hints_.at(drawn->name);
}

void HintPool::tell(const Commit& told, std::span<const Parent> parents, const HintEdit& edit) {
  if (plan_.selection && !told.repeat) plan_.selection->tell(told);
  if (!told.use.hint.empty()) {
    credits_[told.use.hint].count(*told.candidate, best_of(parents),
                                  has_entered(told.addition.status));
  }
  if (edit.hint && !hints_.contains(edit.hint->id)) {
    add(*edit.hint);
    if (drawn_from_.size() > plan_.size) displace();
  }
}

void HintPool::add(const Hint& hint) {
  hints_.emplace(hint.id, hint);
  drawn_from_.push_back({hint.id});
}

void HintPool::displace() {
  auto worst = drawn_from_.end();
  double fewest = 0;
  for (auto choice = drawn_from_.begin(); choice != drawn_from_.end(); ++choice) {
    const HintCredit& credit = credits_[choice->name];
    if (credit.children == 0) continue;
    const double share = static_cast<double>(credit.elites) / static_cast<double>(credit.children);
    if (worst != drawn_from_.end() && share >= fewest) continue;
    worst = choice;
    fewest = share;
  }
  if (worst != drawn_from_.end()) drawn_from_.erase(worst);
}

}  // namespace ke
