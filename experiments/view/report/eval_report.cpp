#include "experiments/view/report/eval_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/text/table.hpp"
#include "experiments/view/report/run_json.hpp"

namespace ke {
namespace {

/// Geometric mean over the workloads; null without timings.
Json mean_ns(const Fact& fact, double WorkloadTiming::*time) {
  if (!fact.comparison || fact.comparison->workloads.empty()) return nullptr;
  double sum = 0;
  for (const WorkloadTiming& timing : fact.comparison->workloads) sum += std::log(timing.*time);
  const double mean = std::exp(sum / static_cast<double>(fact.comparison->workloads.size()));
  return std::isfinite(mean) ? Json(mean) : Json(nullptr);
}

Json json_of(const Diagnostic& d) {
  return {{"file", d.file},
          {"line", d.line},
          {"column", d.column},
          {"severity", d.severity},
          {"message", d.message}};
}

Json json_of(const WorkloadTiming& timing) {
  return {{"workload", timing.workload},       {"role", timing.role},
          {"speedup", timing.speedup},         {"ci", json_of(timing.ci)},
          {"baseline_ns", timing.opponent_ns}, {"candidate_ns", timing.candidate_ns},
          {"floor_ns", timing.floor_ns}};
}

Json feedback_json(const Fact& fact) {
  const Json parsed = parse_json(fact.feedback);
  return parsed.is_discarded() ? Json(fact.feedback) : parsed;
}

Json json_of(const EvalView& report) {
  const Fact& fact = report.fact;
  const auto& comparison = fact.comparison;
  Json json = {{"verdict", to_string(fact.verdict)},
               {"reason", fact.reason},
               {"speedup", comparison ? Json(comparison->speedup) : Json(nullptr)},
               {"ci", comparison ? json_of(comparison->ci) : Json(nullptr)},
               {"baseline_ns", mean_ns(fact, &WorkloadTiming::opponent_ns)},
               {"candidate_ns", mean_ns(fact, &WorkloadTiming::candidate_ns)},
               {"message", fact.message},
               {"diagnostics", Json::array()},
               {"sandbox_level", report.sandbox_level},
               {"against", report.against},
               {"build_hash", fact.build_hash.hex()},
               {"policy_flags", fact.policy_flags},
               {"measures", fact.measures},
               {"workloads", Json::array()},
               {"feedback", feedback_json(fact)}};
  for (const Diagnostic& d : fact.diagnostics) json["diagnostics"].push_back(json_of(d));
  if (comparison) {
    for (const auto& timing : comparison->workloads) json["workloads"].push_back(json_of(timing));
  }
  return json;
}

std::string timings_text(const EvalView& report) {
  const Comparison& comparison = *report.fact.comparison;
  Table table({"workload", "baseline ns", "candidate ns", "speedup", "95 % interval"});
  for (const WorkloadTiming& t : comparison.workloads) {
    table.add({t.workload, fmt::format("{:.0f}", t.opponent_ns),
               fmt::format("{:.0f}", t.candidate_ns), fmt::format("{:.3f}", t.speedup),
               fmt::format("[{:.3f}, {:.3f}]", t.ci.low, t.ci.high)});
  }
  return table.text() + fmt::format("\nspeedup {:.3f}x [{:.3f}, {:.3f}] against {}\n",
                                    comparison.speedup, comparison.ci.low, comparison.ci.high,
                                    report.against);
}

std::string text_of(const EvalView& report) {
  const Fact& fact = report.fact;
  std::string text = fmt::format("verdict {}{}{}\n", to_string(fact.verdict),
                                 fact.reason.empty() ? "" : ": ", fact.reason);
  if (!fact.message.empty()) text += fact.message + "\n";
  for (const Diagnostic& d : fact.diagnostics) {
    text += fmt::format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, d.severity, d.message);
  }
  for (const std::string& flag : fact.policy_flags) text += "note: " + flag + "\n";
  return fact.comparison && !fact.comparison->workloads.empty() ? text + timings_text(report)
                                                                : text;
}

}  // namespace

void print_eval(const EvalView& report, bool json, bool explain, Console& console) {
  if (json) {
    write_json(console.out, json_of(report));
    return;
  }
  console.out << text_of(report);
  if (!explain) return;
  for (const auto& [name, value] : report.fact.measures) {
    console.out << fmt::format("{} = {:.6g}\n", name, value);
  }
  console.out << json_text(feedback_json(report.fact), JsonForm::lines) << "\n";
}

}  // namespace ke
