#include "archive/corrected.hpp"

#include <algorithm>
#include <vector>

#include "core/result.hpp"

namespace ke {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace

CorrectedScore corrected_score(
    const Archive& archive, Archive& empty, std::size_t repetitions,
    const std::function<Remeasured(const Candidate&, std::size_t repetition)>& measure) {
  KE_CHECK(repetitions >= 1 && empty.elites().empty());
  for (const Elite& elite : archive.elites()) {
    std::vector<double> objectives;
    std::map<std::string, std::vector<double>> measures;
    for (std::size_t i = 0; i < repetitions; ++i) {
      const Remeasured again = measure(*elite.candidate, i);
      objectives.push_back(again.objective);
      for (const auto& [name, value] : again.measures) measures[name].push_back(value);
    }
    auto copy = std::make_shared<Candidate>(*elite.candidate);
    copy->evaluation.objective = median(objectives);
    for (auto& [name, values] : measures) copy->evaluation.measures[name] = median(values);
    empty.offer(copy);
  }
  return {qd_score(archive), qd_score(empty), coverage(empty)};
}

}  // namespace ke
