#include "core/archive.hpp"

namespace ke {

std::string_view to_string(Addition addition) {
  switch (addition) {
    case Addition::rejected: return "rejected";
    case Addition::new_cell: return "new_cell";
    case Addition::improved: return "improved";
    case Addition::duel_needed: break;
  }
  return "duel_needed";
}

double coverage(const Archive& archive) {
  const double cells = static_cast<double>(archive.cells());
  return cells == 0 ? 0 : static_cast<double>(archive.elites().size()) / cells;
}

double qd_score(const Archive& archive) {
  double sum = 0;
  for (const Elite& elite : archive.elites()) sum += elite.candidate->evaluation.objective;
  return sum;
}

CandidatePtr best_elite(const Archive& archive) {
  CandidatePtr best;
  for (const Elite& elite : archive.elites()) {
    if (!best || elite.candidate->evaluation.objective > best->evaluation.objective) {
      best = elite.candidate;
    }
  }
  return best;
}

}  // namespace ke
