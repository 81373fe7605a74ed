#include "core/validation.hpp"

#include <algorithm>

namespace ke {

void add_validation(double speedup, const Interval& ci, double min_gain, Evaluation& evaluation) {
  evaluation.measures[validation_speedup] = speedup;
  evaluation.measures[validation_low] = ci.low;
  evaluation.measures[validation_high] = ci.high;
  if (ci.high < 1 / (1 + min_gain)) evaluation.measures[validation_loses] = 1;
}

bool has_validation(const Evaluation& evaluation) {
  return evaluation.measures.contains(validation_speedup);
}

bool is_specialist(const Evaluation& evaluation) {
  return evaluation.measures.contains(validation_loses);
}

double worth(const Evaluation& evaluation) {
  if (!is_specialist(evaluation)) return evaluation.objective;
  return std::min(evaluation.objective, evaluation.measures.at(validation_speedup));
}

}  // namespace ke
