#include "fitness/judging/finding.hpp"

#include <utility>

namespace ke {

Finding differs_when_repeated() {
  return {Verdict::nondeterministic, "differs_when_repeated",
          "two calls on equal inputs wrote different bits"};
}

void locate(Finding& finding, const Workload& workload, const std::string& inputs,
            std::string placement, std::int64_t call) {
  const bool secret = workload.role == Role::holdout || workload.role == Role::validation;
  finding.workload = secret ? "" : workload.label;
  finding.inputs = inputs;
  finding.placement = std::move(placement);
  finding.call = call;
  // Feedback quotes values for test shapes only.
  if (finding.mismatch && workload.role != Role::test) finding.mismatch->first.clear();
  if (finding.mismatch && !secret) finding.message = finding.mismatch->text();
  if (finding.mismatch && secret) finding.message = "wrong result at a shape that is not shown";
}

}  // namespace ke
