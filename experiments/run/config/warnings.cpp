#include <fmt/format.h>

#include "experiments/run/config/archives.hpp"
#include "experiments/run/config/experiment.hpp"

namespace ke {

std::vector<std::string> experiment_warnings(const Experiment& experiment) {
  std::vector<std::string> warnings;
  if (experiment.numeric) return warnings;
  const auto archive = make_passive_archive(experiment);
  const auto cells = static_cast<std::int64_t>(archive->cells());
  const std::int64_t evaluations = experiment.limits.evaluations;
  if (evaluations > 0 && evaluations < 5 * cells) {
    warnings.push_back(fmt::format(
        "{} evaluations for {} cells are fewer than 5 a cell, most of the archive will stay empty; "
        "use fewer bins or a larger budget",
        evaluations, cells));
  }
  if (experiment.islands.count > 1 && experiment.islands.topology == "none") {
    warnings.push_back("islands without migration (topology: none) are independent runs");
  }
  return warnings;
}

}  // namespace ke
