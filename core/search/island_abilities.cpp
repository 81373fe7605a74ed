#include "core/search/island_abilities.hpp"

#include <algorithm>

namespace ke {

const Operator& IslandAbilities::op(const OperatorChoice& choice) const {
  const auto found = std::ranges::find(island_.operators, choice.name, &NamedOperator::name);
  KE_CHECK(found != island_.operators.end());
  return *found->op;
}

bool IslandAbilities::suits(const OperatorChoice& choice, const Candidate& first) const {
  return op(choice).can_start(context_, &first);
}

bool IslandAbilities::is_idle(const OperatorChoice& choice) const {
  if (choice.weight == 0) return false;
  if (choice.arity == 0) return !op(choice).can_start(context_, nullptr);
  return std::ranges::none_of(island_.archive->elites(),
                              [&](const Elite& elite) { return suits(choice, *elite.candidate); });
}

void IslandAbilities::mark_idle(std::vector<OperatorChoice>& choices) const {
  for (OperatorChoice& choice : choices) choice.idle = is_idle(choice);
}

}  // namespace ke
