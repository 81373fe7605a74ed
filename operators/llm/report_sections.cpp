#include "operators/llm/report_sections.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json.hpp"

namespace ke {
namespace {

/// The judge's record of a candidate; an empty object when there is none.
Json record_of(const Candidate& candidate) {
  Json json = parse_json(candidate.evaluation.feedback);
  return json.is_object() ? json : Json::object();
}

/// The keys of the record that a section shows, one a line, as JSON: quoted data.
std::string lines_of(const Json& record, std::initializer_list<const char*> keys) {
  std::string text;
  for (const char* key : keys) {
    if (record.contains(key)) text += fmt::format("{}: {}\n", key, json_text(record[key]));
  }
  return text;
}

/// One part a parent, under one heading.
template <typename Text>
std::string of_parents(const PromptScene& scene, std::string_view heading, Text text_of) {
  std::string body;
  for (std::size_t i = 0; i < scene.parents.size(); ++i) {
    const std::string text = text_of(*scene.parents[i].candidate);
    if (text.empty()) continue;
    if (scene.parents.size() > 1) body += fmt::format("Parent {}:\n", i + 1);
    body += text;
  }
  return body.empty() ? body : fmt::format("## {}\n{}", heading, body);
}

/// What hardware counters say, one sentence a line.
std::string counters(const Json& record) {
  std::string text;
  if (!record.contains("profile")) return text;
  for (const Json& sentence : record["profile"]) {
    if (sentence.is_string()) text += fmt::format("{}\n", sentence.get<std::string>());
  }
  return text;
}

std::string instructions(const Json& record) {
  if (!record.contains("hot_loop")) return "";
  std::string text = "hot loop:\n";
  for (const Json& line : record["hot_loop"]) {
    if (line.is_string()) text += line.get<std::string>() + "\n";
  }
  return text;
}

}  // namespace

std::string score_section(const PromptScene& scene) {
  return of_parents(scene, "Score", [](const Candidate& c) {
    const Evaluation& e = c.evaluation;
    if (e.verdict != Verdict::ok) return std::string();
    return fmt::format(
        "speedup against the task's own vectorised kernel: {:.3f} [{:.3f}, {:.3f}]\n", e.objective,
        e.interval.low, e.interval.high);
  });
}

std::string diagnostics_section(const PromptScene& scene) {
  return of_parents(scene, "Compiler and checker", [](const Candidate& c) {
    const Json record = record_of(c);
    std::string text =
        lines_of(record, {"failure", "diagnostics", "error_used_of_allowed", "policy_flags"});
    if (c.evaluation.verdict == Verdict::ok) return text;
    return fmt::format("verdict: {} ({})\n", to_string(c.evaluation.verdict), c.evaluation.reason) +
           lines_of(record, {"message"}) + text;
  });
}

std::string timing_section(const PromptScene& scene) {
  return of_parents(scene, "Times", [](const Candidate& c) {
    const Json record = record_of(c);
    if (!record.contains("timing") || !record["timing"].contains("workloads")) return std::string();
    std::string text = lines_of(record["timing"], {"against", "answer", "resolvable"});
    for (Json workload : record["timing"]["workloads"]) {
      for (const char* profiled : {"limiter", "floor_share"}) workload.erase(profiled);
      text += json_text(workload) + "\n";
    }
    return text;
  });
}

std::string profile_section(const PromptScene& scene) {
  return of_parents(scene, "What limits it", [](const Candidate& c) {
    const Json record = record_of(c);
    std::string text;
    if (record.contains("timing") && record["timing"].contains("workloads")) {
      for (const Json& workload : record["timing"]["workloads"]) {
        text += fmt::format("{}: {} (share of time that memory alone needs: {})\n",
                            workload.value("workload", ""), workload.value("limiter", "unknown"),
                            workload.value("floor_share", 0.0));
      }
    }
    for (const auto& [name, value] : c.evaluation.measures) {
      text += fmt::format("{}: {:.4g}\n", name, value);
    }
    text += counters(record);
    return text + lines_of(record, {"missed_vectorisation"}) + instructions(record);
  });
}

}  // namespace ke
