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

SanitizerReport not_applicable(std::string why) {
  return {SanitizerReport::Status::not_applicable, "",
          why.substr(0, SanitizerReport::most_message)};
}

void take_report(const SanitizerReport& report, Fact& fact) {
  fact.message = "clean";
  if (report.status == SanitizerReport::Status::not_applicable) {
    fact.message = "not_applicable: " + report.message;
  } else if (report.status == SanitizerReport::Status::finding) {
    fact.verdict = Verdict::suspicious;
    fact.reason = "sanitizer_" + report.tool;
    fact.message = report.message;
  }
}

}  // namespace ke
