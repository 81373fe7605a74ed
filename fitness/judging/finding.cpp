#include "fitness/judging/finding.hpp"

#include <utility>

namespace ke {

Finding differs_when_repeated() {
  return {Verdict::nondeterministic, "differs_when_repeated",
          "two calls on equal inputs wrote different bits"};
}

void locate(Finding& finding, const Workload& workload, const std::string& inputs,
            std::string placement, std::int64_t call) {
  const bool listed = workload.role == Role::test || workload.role == Role::bench;
  const bool secret = !listed && !workload.disclosed;
  finding.workload = secret ? "" : workload.label;
  finding.inputs = inputs;
  finding.placement = std::move(placement);
  finding.call = call;
  if (!finding.mismatch) return;
  // Feedback of a search quotes values for test shapes only.
  if (workload.role != Role::test && !workload.disclosed) finding.mismatch->first.clear();
  finding.message = secret ? "wrong result at a shape that is not shown" : finding.mismatch->text();
  if (workload.disclosed) finding.message = workload.label + ": " + finding.message;
}

}  // namespace ke
