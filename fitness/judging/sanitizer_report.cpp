#include "fitness/judging/sanitizer_report.hpp"

namespace ke {

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
