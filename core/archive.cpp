#include "core/archive.hpp"

namespace ke {

double coverage(const Archive& archive) {
  const double cells = static_cast<double>(archive.cells());
  return cells == 0 ? 0 : static_cast<double>(archive.elites().size()) / cells;
}

double qd_score(const Archive& archive) {
  double sum = 0;
  for (const Elite& elite : archive.elites()) sum += elite.candidate->evaluation.objective;
  return sum;
}

}  // namespace ke
