#include "core/feedback_record.hpp"

#include <nlohmann/json.hpp>

#include "core/json.hpp"

namespace ke {
namespace {

constexpr const char* profile_key = "profile";

}  // namespace

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
