#include "experiments/run/config/read_experiment.hpp"

namespace ke {

void read_queue(Params& top, Experiment& experiment) {
  constexpr std::int64_t hour_ms = 3'600'000;
  Params queue = top.section("queue");
  QueuePlan plan;
  plan.url =
      queue.text("url", "",
                 "database whose workers measure, postgresql://USER@HOST/DATABASE; env = the "
                 "value of KERNELEVOLVE_QUEUE_URL; left out = this process measures");
  plan.lease_ms = queue.duration_ms("lease", "30s", {1000, hour_ms},
                                    "a worker that is silent for longer is taken for dead, and "
                                    "another one does its job");
  plan.attempts = static_cast<int>(
      queue.integer("attempts", 5, {1, 1000},
                    "workers that may die over one job before its candidate counts as lost"));
  if (!plan.url.empty()) experiment.queue = plan;
}

}  // namespace ke
