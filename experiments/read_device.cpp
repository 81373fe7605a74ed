#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/read_experiment.hpp"

namespace ke {

void read_device(Params& top, Experiment& experiment) {
  Params section = top.section("device");
  experiment.device = section.choice("kind", "cpu", component_names(evaluator_kinds()),
                                     "what evaluates kernels; see 'list evaluators'");
  const auto* row = find_component(evaluator_kinds(), experiment.device);
  if (row == nullptr) return;
  const auto kind = row->make();
  kind->declare(section);
  if (experiment.tasks.empty()) experiment.tasks = kind->default_tasks(section);
}

}  // namespace ke
