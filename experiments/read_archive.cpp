#include "experiments/read_experiment.hpp"

namespace ke {

void read_archive(Params& top, Experiment& experiment) {
  Params section = top.section("archive");
  experiment.archive = section.choice("kind", "grid", {"grid", "top_k"}, "how elites are kept");
  section.raw("axes");
}

}  // namespace ke
