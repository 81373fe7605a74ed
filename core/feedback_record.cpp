#include "core/feedback_record.hpp"

#include <nlohmann/json.hpp>

#include "core/json.hpp"

namespace ke {
namespace {

constexpr const char* profile_key = "profile";

/// The list `timing.workloads` of a record; null if it has none.
const Json* timed_workloads(const Json& record) {
  if (!record.is_object() || !record.contains("timing")) return nullptr;
  const Json& timing = record["timing"];
  if (!timing.is_object() || !timing.contains("workloads")) return nullptr;
  return timing["workloads"].is_array() ? &timing["workloads"] : nullptr;
}

double number_in(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

std::string text_in(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

RecordedTiming timing_in(const Json& workload) {
  RecordedTiming timing;
  timing.workload = text_in(workload, "workload");
  if (workload.contains("role")) timing.role = text_in(workload, "role");
  timing.time = number_in(workload, "ns");
  timing.speedup = number_in(workload, "speedup");
  timing.opponent_time = number_in(workload, "opponent_ns");
  // Records of older versions lack it.
  if (timing.opponent_time == 0) timing.opponent_time = timing.speedup * timing.time;
  if (workload.contains("ci") && workload["ci"].is_array() && workload["ci"].size() == 2) {
    const Json& ci = workload["ci"];
    if (ci[0].is_number() && ci[1].is_number()) timing.ci = {ci[0], ci[1]};
  }
  timing.floor = number_in(workload, "floor_ns");
  if (timing.floor == 0) timing.floor = number_in(workload, "floor_share") * timing.time;
  timing.gb_per_s = number_in(workload, "gb_per_s");
  timing.gflops = number_in(workload, "gflops");
  timing.limiter = text_in(workload, "limiter");
  return timing;
}

}  // namespace

std::vector<RecordedTiming> timings_of(const std::string& feedback) {
  const Json record = parse_json(feedback);
  std::vector<RecordedTiming> list;
  const Json* workloads = timed_workloads(record);
  if (workloads == nullptr) return list;
  for (const Json& one : *workloads) {
    if (one.is_object()) list.push_back(timing_in(one));
  }
  return list;
}

void add_timings(std::string& feedback, const std::string& from) {
  Json record = parse_json(feedback);
  const Json other = parse_json(from);
  const Json* more = timed_workloads(other);
  if (!record.is_object() || more == nullptr) return;
  Json& workloads = record["timing"]["workloads"];
  for (const Json& one : *more) workloads.push_back(one);
  std::string longer = json_text(record, JsonForm::ascii);
  if (longer.size() <= feedback_limit_bytes) feedback = std::move(longer);
}

void add_profile(std::string& feedback, const std::vector<std::string>& sentences) {
  Json record = parse_json(feedback);
  if (!record.is_object()) record = Json::object();
  record[profile_key] = Json::array();
  for (const std::string& sentence : sentences) {
    record[profile_key].push_back(sentence);
    std::string longer = json_text(record, JsonForm::ascii);
    if (longer.size() > feedback_limit_bytes) return;
    feedback = std::move(longer);
  }
}

std::vector<std::string> profile_of(const std::string& feedback) {
  const Json record = parse_json(feedback);
  std::vector<std::string> sentences;
  if (!record.is_object() || !record.contains(profile_key)) return sentences;
  for (const Json& sentence : record[profile_key]) {
    if (sentence.is_string()) sentences.push_back(sentence.get<std::string>());
  }
  return sentences;
}

void take_profile(const Fact& from, std::map<std::string, double>& measures,
                  std::string& feedback) {
  for (const auto& [name, value] : from.measures) {
    if (name.starts_with(profile_prefix)) measures[name] = value;
  }
  add_profile(feedback, profile_of(from.feedback));
}

}  // namespace ke
