#include "experiments/read_experiment.hpp"

namespace ke {

void read_device(Params& top, Experiment& experiment) {
  Params section = top.section("device");
  experiment.device = section.choice("kind", "cpu", {"cpu", "function"}, "what evaluates kernels");
}

}  // namespace ke
