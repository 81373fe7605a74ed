#pragma once
// Determines which operators of an island have work at the time of one ask.

#include <vector>

#include "core/search/plan.hpp"

namespace ke {

class IslandAbilities final : public Abilities {
 public:
  /// `context` is what the operators' `start` would get now. Both must outlive this object.
  IslandAbilities(const IslandPlan& island, const Context& context)
      : island_(island), context_(context) {}

  bool suits(const OperatorChoice& choice, const Candidate& first) const override;
  /// Sets `idle` for operators that suit no elite, or that need no parent and have no work.
  void mark_idle(std::vector<OperatorChoice>& choices) const;

 private:
  const Operator& op(const OperatorChoice& choice) const;
  bool is_idle(const OperatorChoice& choice) const;
  const IslandPlan& island_;
  const Context& context_;
};

}  // namespace ke
