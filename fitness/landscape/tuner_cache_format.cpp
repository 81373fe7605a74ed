// Kernel Tuner's cache: {device_name, kernel_name, tune_params_keys, objective, cache: {"v1,v2,..":
// {parameters, time, times, ...}}}, times in milliseconds. A failed configuration has a text in
// place of its objective; its other values are leftovers of another run.

#include <algorithm>
#include <array>

#include "fitness/landscape/formats.hpp"

namespace ke {
namespace {

using PlainJson = nlohmann::json;

/// Numbers in an entry that measure the tuner, not the kernel.
constexpr std::array<std::string_view, 7> bookkeeping = {
    "time",          "compile_time",   "verification_time", "benchmark_time",
    "strategy_time", "framework_time", "timestamp"};

Verdict failure_of(const std::string& text, const std::string& place) {
  if (text.find("Compil") != std::string::npos) return Verdict::compile_error;
  if (text.find("Runtime") != std::string::npos) return Verdict::runtime_error;
  if (text.find("Invalid") != std::string::npos) return Verdict::rejected;
  throw FormatError{place, "failure '" + text +
                               "' is not one of CompilationFailedConfig, RuntimeFailedConfig, "
                               "InvalidConfig"};
}

class TunerReader {
 public:
  explicit TunerReader(const PlainJson& document) : document_(document) {}

  LandscapeTable read() {
    for (const PlainJson& key : member(document_, "tune_params_keys", "")) {
      table_.parameters.push_back(key.get<std::string>());
    }
    if (table_.parameters.empty()) throw FormatError{"tune_params_keys", "is empty"};
    table_.kernel = document_.value("kernel_name", "");
    table_.device = document_.value("device_name", "");
    objective_ = document_.value("objective", "time");
    const PlainJson& cache = member(document_, "cache", "");
    if (!cache.is_object()) throw FormatError{"cache", "is no object"};
    if (!cache.empty()) learn_measures(cache.begin().value());
    for (const auto& [key, entry] : cache.items()) {
      RawPoint point = read_point(entry, "cache['" + key + "']");
      if (point.verdict != Verdict::rejected) table_.points.push_back(std::move(point));
    }
    return std::move(table_);
  }

 private:
  void learn_measures(const PlainJson& first) {
    for (const auto& [name, value] : first.items()) {
      const bool parameter = std::find(table_.parameters.begin(), table_.parameters.end(), name) !=
                             table_.parameters.end();
      const bool kept =
          std::find(bookkeeping.begin(), bookkeeping.end(), name) != bookkeeping.end();
      if (value.is_number() && !parameter && !kept && name != objective_) {
        table_.measures.push_back(name);
      }
    }
  }

  RawPoint read_point(const PlainJson& entry, std::string place) {
    RawPoint point;
    for (const std::string& name : table_.parameters) {
      point.values.push_back(raw_value(member(entry, name.c_str(), place), place));
    }
    const PlainJson& objective = member(entry, objective_.c_str(), place);
    for (const std::string& name : table_.measures) {
      const auto found = entry.find(name);
      const bool worked = !objective.is_string() && found != entry.end();
      point.measures.push_back(worked ? number_or_nan(*found) : number_or_nan(PlainJson()));
    }
    if (objective.is_string()) {
      point.reason = objective.get<std::string>();
      point.verdict = failure_of(point.reason, place);
    } else {
      point.time = positive(objective, objective_, place);
      if (const auto times = entry.find("times"); times != entry.end()) {
        for (const PlainJson& time : *times)
          point.samples.push_back(positive(time, "times", place));
      }
    }
    point.place = std::move(place);
    return point;
  }

  const PlainJson& document_;
  LandscapeTable table_;
  std::string objective_;
};

}  // namespace

LandscapeTable read_tuner_cache(const nlohmann::json& document) {
  return TunerReader(document).read();
}

}  // namespace ke
