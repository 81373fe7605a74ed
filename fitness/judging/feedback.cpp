#include "fitness/judging/feedback.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json.hpp"

namespace ke {
namespace {

// JSON has no infinities and no NaN, but a candidate's output may contain both.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json of_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics) {
    if (list.size() == 10) break;
    list.push_back({{"line", d.line},
                    {"column", d.column},
                    {"severity", d.severity},
                    {"message", d.message.substr(0, 200)}});
  }
  return list;
}

Json of_finding(const Finding& finding) {
  Json json{{"inputs", finding.inputs}, {"placement", finding.placement}, {"call", finding.call}};
  json["workload"] = finding.workload.empty() ? "not shown" : finding.workload;
  if (!finding.mismatch) return json;
  const Mismatch& mismatch = *finding.mismatch;
  json["output"] = mismatch.output;
  json["pattern"] = to_string(mismatch.pattern);
  if (finding.workload.empty()) return json;
  json["wrong"] = mismatch.count;
  json["elements"] = mismatch.elements;
  if (mismatch.pattern == ErrorPattern::stride) json["stride"] = mismatch.stride;
  json["error_used_of_allowed"] = number(mismatch.worst_ratio);
  for (const auto& element : mismatch.first) {
    Json shown{{"index", element.index}};
    if (is_int(mismatch.dtype)) {
      shown["got"] = element.got_integer;
      shown["want"] = element.want_integer;
    } else {
      shown["got"] = number(element.got);
      shown["want"] = number(element.want);
    }
    json["first"].push_back(std::move(shown));
  }
  return json;
}

/// Returns "" where the task declares no cost: there is no bound to compare the time with.
std::string limiter(double bytes_ns_share, double gflops) {
  if (bytes_ns_share <= 0 && gflops <= 0) return {};
  if (bytes_ns_share > 0.6) return "memory";
  return gflops > 0 ? "compute or latency" : "latency";
}

Json of_timing(const WorkloadTiming& timing, const Task& task) {
  Json json{{"workload", timing.workload},
            {"ns", std::round(timing.candidate_ns)},
            {"speedup", rounded(timing.speedup)},
            {"ci", {rounded(timing.ci.low), rounded(timing.ci.high)}},
            {"opponent_ns", std::round(timing.opponent_ns)}};
  if (timing.role != "bench") json["role"] = timing.role;
  if (timing.floor_ns > 0) json["floor_ns"] = std::round(timing.floor_ns);
  const auto workload = std::ranges::find(task.workloads, timing.workload, &Workload::label);
  if (workload == task.workloads.end() || timing.candidate_ns <= 0) return json;
  const auto bytes = task.value(task.bytes, *workload);
  const auto flops = task.value(task.flops, *workload);
  const double gflops = flops ? static_cast<double>(*flops) / timing.candidate_ns : 0;
  if (bytes && *bytes > 0)
    json["gb_per_s"] = rounded(static_cast<double>(*bytes) / timing.candidate_ns);
  if (gflops > 0) json["gflops"] = rounded(gflops);
  const double share = timing.floor_ns / timing.candidate_ns;
  if (timing.floor_ns > 0) json["floor_share"] = rounded(share);
  if (const std::string what = limiter(share, gflops); !what.empty()) json["limiter"] = what;
  return json;
}

Json of_comparison(const Comparison& comparison, const FeedbackParts& parts) {
  Json json{{"against", parts.opponent},
            {"speedup", rounded(comparison.speedup)},
            {"ci", {rounded(comparison.ci.low), rounded(comparison.ci.high)}},
            {"resolvable", rounded(comparison.resolvable)}};
  const bool faster = comparison.ci.low > 1, slower = comparison.ci.high < 1;
  json["answer"] = faster ? "better" : slower ? "worse" : "tie";
  for (const WorkloadTiming& timing : comparison.workloads) {
    if (timing.role == "holdout") continue;
    json["workloads"].push_back(of_timing(timing, *parts.task));
  }
  return json;
}

std::string text_of(const Json& json) { return json_text(json, JsonForm::ascii); }

// Drops the least important parts first, until the record fits.
std::string fit(Json json) {
  std::string text = text_of(json);
  for (const char* key : {"hot_loop", "missed_vectorisation", "diagnostics", "policy_flags"}) {
    while (text.size() > feedback_limit_bytes && json.contains(key) && !json[key].empty()) {
      json[key].erase(json[key].size() - 1);
      text = text_of(json);
    }
  }
  if (text.size() <= feedback_limit_bytes) return text;
  return text_of({{"verdict", json["verdict"]}, {"reason", json["reason"]}});
}

}  // namespace

std::string feedback_of(const FeedbackParts& parts) {
  const Fact& fact = *parts.fact;
  Json json{{"verdict", to_string(fact.verdict)}, {"reason", fact.reason}};
  if (!fact.message.empty()) json["message"] = fact.message.substr(0, 400);
  if (!fact.diagnostics.empty()) json["diagnostics"] = of_diagnostics(fact.diagnostics);
  if (parts.finding != nullptr) json["failure"] = of_finding(*parts.finding);
  if (parts.margin >= 0) json["error_used_of_allowed"] = number(parts.margin);
  if (fact.comparison) json["timing"] = of_comparison(*fact.comparison, parts);
  if (parts.preparation_ns != nullptr && !parts.preparation_ns->empty())
    json["preparation_ns"] = *parts.preparation_ns;
  if (!fact.policy_flags.empty()) json["policy_flags"] = fact.policy_flags;
  if (parts.built != nullptr && fact.verdict == Verdict::ok) {
    if (!parts.built->missed.empty()) json["missed_vectorisation"] = parts.built->missed;
    if (!parts.built->hot_loop.empty()) json["hot_loop"] = parts.built->hot_loop;
  }
  return fit(std::move(json));
}

}  // namespace ke
