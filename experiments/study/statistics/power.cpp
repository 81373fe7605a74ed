#include "experiments/study/statistics/power.hpp"

#include <algorithm>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/statistics/wilcoxon.hpp"
#include "fitness/timing/robust.hpp"

namespace ke::statistics {

double simulated_power(const std::function<double()>& p_value_of_one_study, double alpha,
                       int repetitions) {
  KE_CHECK(repetitions >= 1);
  int found = 0;
  for (int i = 0; i < repetitions; ++i) found += p_value_of_one_study() <= alpha;
  return static_cast<double>(found) / repetitions;
}

double paired_power(std::span<const double> pilot_differences, int pairs, const PairedPlan& plan,
                    const RandomIndex& random) {
  KE_CHECK(pairs >= 1);
  const double move = plan.shift - median_of(pilot_differences);
  std::vector<double> drawn(static_cast<std::size_t>(pairs));
  const auto study = [&] {
    for (double& value : drawn) value = pilot_differences[random(pilot_differences.size())] + move;
    return wilcoxon_signed_rank(drawn).p;
  };
  return simulated_power(study, plan.alpha, plan.repetitions);
}

int pairs_for_power(std::span<const double> pilot_differences, double power, int most_pairs,
                    const PairedPlan& plan, const RandomIndex& random) {
  const auto suffices = [&](int pairs) {
    return paired_power(pilot_differences, pairs, plan, random) >= power;
  };
  int enough = 1;
  while (!suffices(enough)) {
    if (enough >= most_pairs) return 0;
    enough = std::min(2 * enough, most_pairs);
  }
  int below = enough / 2;
  while (enough - below > 1) {
    const int middle = (below + enough) / 2;
    (suffices(middle) ? enough : below) = middle;
  }
  return enough;
}

}  // namespace ke::statistics
