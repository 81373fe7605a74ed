#include "experiments/study/summary/best_parent.hpp"

#include "core/search/migration.hpp"

namespace ke {

bool is_ok_kernel(const Candidate& c) {
  return c.outcome != OutcomeKind::no_child && c.evaluation.verdict == Verdict::ok &&
         c.evaluation.interval.low > 0;
}

Result<CandidatePtr> best_parent(const RunReader& reader, const Candidate& child) {
  CandidatePtr best;
  if (child.operator_name == migration_operator) return best;
  for (const Ancestor& ancestor : child.ancestors) {
    if (ancestor.role != ParentRole::parent) continue;
    KE_TRY(const auto view, reader.candidate(ancestor.id));
    if (!view || !is_ok_kernel(*view->candidate)) continue;
    const bool better = !best || view->candidate->evaluation.objective > best->evaluation.objective;
    if (better) best = view->candidate;
  }
  return best;
}

}  // namespace ke
