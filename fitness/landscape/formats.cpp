#include "fitness/landscape/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/json.hpp"

namespace ke {
namespace {

// T4, schema 1.0.0: {metadata: {timeunit}, results: [{configuration, times: {runtimes}, invalidity,
// measurements: [{name, value}], objectives: [name]}]}. Only `invalidity` marks a failed
// configuration, since its value may be a text. Our files add `verdict` and `reason` to a result,
// and `kernel` and `device` to the metadata.

/// 0 for a unit that is none of time.
double time_unit_ns(const std::string& unit) {
  if (unit == "miliseconds" || unit == "milliseconds" || unit == "ms") return 1e6;
  if (unit == "microseconds" || unit == "us") return 1e3;
  if (unit == "nanoseconds" || unit == "ns") return 1;
  if (unit == "seconds" || unit == "s") return 1e9;
  return 0;
}

double unit_ns(const std::string& unit) {
  if (const double ns = time_unit_ns(unit); ns > 0) return ns;
  throw FormatError{"metadata.timeunit",
                    fmt::format("= '{}' is not one of milliseconds, microseconds, nanoseconds, "
                                "seconds",
                                unit)};
}

/// Whether an objective's name says that it is a time: what is better when it is larger must not be
/// minimised.
bool names_time(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* word : {"time", "latency", "duration", "elapsed"}) {
    if (name.find(word) != name.npos) return true;
  }
  return time_unit_ns(name) > 0;
}

/// A recorded `timeout` is a judged failure, because it recurs. A configuration that was lost or
/// could not be timed is unknown, and is left out like one that broke a constraint.
Verdict own_verdict(const Json& name, const std::string& place) {
  const auto verdict = parse_verdict(name.get<std::string>());
  if (!verdict) throw FormatError{place, "verdict " + name.dump() + " is unknown"};
  if (*verdict == Verdict::timeout) return Verdict::resource_limit;
  return is_judged(*verdict) ? *verdict : Verdict::rejected;
}

Verdict verdict_of(const Json& result, const std::string& place) {
  const auto own = result.find("verdict");
  if (own != result.end()) return own_verdict(*own, place);
  const std::string invalidity = member(result, "invalidity", place).get<std::string>();
  if (invalidity == "correct") return Verdict::ok;
  if (invalidity == "compile") return Verdict::compile_error;
  if (invalidity == "runtime") return Verdict::runtime_error;
  if (invalidity == "correctness") return Verdict::wrong_result;
  if (invalidity == "timeout") return Verdict::resource_limit;
  if (invalidity == "constraints") return Verdict::rejected;
  throw FormatError{place, fmt::format("invalidity '{}' is not one of correct, compile, runtime, "
                                       "correctness, timeout, constraints",
                                       invalidity)};
}

std::string text_or(const Json& object, const char* key, std::string fallback) {
  const auto found = object.find(key);
  return found == object.end() ? std::move(fallback) : found->get<std::string>();
}

class T4Reader {
 public:
  explicit T4Reader(const Json& document) : document_(document) {}

  LandscapeTable read() {
    if (const auto metadata = document_.find("metadata"); metadata != document_.end()) {
      table_.unit_ns = unit_ns(text_or(*metadata, "timeunit", "milliseconds"));
      table_.kernel = text_or(*metadata, "kernel", "");
      table_.device = text_or(*metadata, "device", "");
    }
    const Json& results = member(document_, "results", "");
    if (!results.is_array()) throw FormatError{"results", "is no list"};
    if (!results.empty()) learn_names(results[0]);
    learn_measures(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
      RawPoint point = read_point(results[i], fmt::format("results[{}]", i));
      if (point.verdict != Verdict::rejected) table_.points.push_back(std::move(point));
    }
    return std::move(table_);
  }

 private:
  void learn_names(const Json& first) {
    const std::string place = "results[0]";
    for (const auto& [name, value] : member(first, "configuration", place).items()) {
      table_.parameters.push_back(name);
    }
    if (table_.parameters.empty()) throw FormatError{place, "has no parameters"};
    const Json& objectives = member(first, "objectives", place);
    if (!objectives.is_array() || objectives.empty()) {
      throw FormatError{place, "'objectives' names no objective"};
    }
    objective_ = objectives[0].get<std::string>();
    if (!names_time(objective_)) {
      throw FormatError{place, fmt::format("objective '{}' is not a time, which is all that is "
                                           "minimised here: name one first in 'objectives'",
                                           objective_)};
    }
  }

  /// One unit of the objective, in the unit of `times`.
  double objective_scale(const Json& measurement, const std::string& place) const {
    const std::string unit = text_or(measurement, "unit", "");
    if (unit.empty()) return 1;
    if (const double ns = time_unit_ns(unit); ns > 0) return ns / table_.unit_ns;
    throw FormatError{place, fmt::format("objective '{}' has unit '{}', which is none of time",
                                         objective_, unit)};
  }

  /// Takes names of measures from the first configuration that worked, since failed ones have none.
  void learn_measures(const Json& results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string place = fmt::format("results[{}]", i);
      if (verdict_of(results[i], place) != Verdict::ok) continue;
      for (const Json& measurement : member(results[i], "measurements", place)) {
        const std::string name = member(measurement, "name", place).get<std::string>();
        if (name != objective_) table_.measures.push_back(name);
      }
      return;
    }
  }

  RawPoint read_point(const Json& result, std::string place) {
    RawPoint point;
    point.verdict = verdict_of(result, place);
    const Json& configuration = member(result, "configuration", place);
    for (const std::string& name : table_.parameters) {
      point.values.push_back(raw_value(member(configuration, name.c_str(), place), place));
    }
    if (configuration.size() != table_.parameters.size()) {
      throw FormatError{place, "has other parameters than results[0]"};
    }
    read_measurements(result, place, point);
    point.place = std::move(place);
    return point;
  }

  void read_measurements(const Json& result, const std::string& place, RawPoint& point) {
    point.measures.assign(table_.measures.size(), std::numeric_limits<double>::quiet_NaN());
    const Json* objective = nullptr;
    for (const Json& measurement : member(result, "measurements", place)) {
      const auto& name = member(measurement, "name", place).get_ref<const std::string&>();
      const Json& value = member(measurement, "value", place);
      if (name == objective_) objective = &measurement;
      const auto known = std::find(table_.measures.begin(), table_.measures.end(), name);
      if (known != table_.measures.end()) {
        point.measures[static_cast<std::size_t>(known - table_.measures.begin())] =
            number_or_nan(value);
      }
    }
    if (point.verdict != Verdict::ok) {
      point.reason = text_or(result, "reason", text_or(result, "invalidity", ""));
      return;
    }
    if (objective == nullptr) throw FormatError{place, "has no measurement '" + objective_ + "'"};
    point.time =
        positive((*objective)["value"], objective_, place) * objective_scale(*objective, place);
    read_samples(member(result, "times", place), place, point);
  }

  void read_samples(const Json& times, const std::string& place, RawPoint& point) {
    const auto runtimes = times.find("runtimes");
    if (runtimes == times.end()) return;
    for (const Json& sample : *runtimes) {
      point.samples.push_back(positive(sample, "times.runtimes", place));
    }
  }

  const Json& document_;
  LandscapeTable table_;
  std::string objective_;
};

// Kernel Tuner's cache: {device_name, kernel_name, tune_params_keys, objective, cache: {"v1,v2,..":
// {parameters, time, times, ...}}}, times in milliseconds. A failed configuration has a text in
// place of its objective; its other values are leftovers of another run.

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
  explicit TunerReader(const nlohmann::json& document) : document_(document) {}

  LandscapeTable read() {
    for (const nlohmann::json& key : member(document_, "tune_params_keys", "")) {
      table_.parameters.push_back(key.get<std::string>());
    }
    if (table_.parameters.empty()) throw FormatError{"tune_params_keys", "is empty"};
    table_.kernel = document_.value("kernel_name", "");
    table_.device = document_.value("device_name", "");
    objective_ = document_.value("objective", "time");
    const nlohmann::json& cache = member(document_, "cache", "");
    if (!cache.is_object()) throw FormatError{"cache", "is no object"};
    if (!cache.empty()) learn_measures(cache.begin().value());
    for (const auto& [key, entry] : cache.items()) {
      RawPoint point = read_point(entry, "cache['" + key + "']");
      if (point.verdict != Verdict::rejected) table_.points.push_back(std::move(point));
    }
    return std::move(table_);
  }

 private:
  void learn_measures(const nlohmann::json& first) {
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

  RawPoint read_point(const nlohmann::json& entry, std::string place) {
    RawPoint point;
    for (const std::string& name : table_.parameters) {
      point.values.push_back(raw_value(member(entry, name.c_str(), place), place));
    }
    const nlohmann::json& objective = member(entry, objective_.c_str(), place);
    for (const std::string& name : table_.measures) {
      const auto found = entry.find(name);
      const bool worked = !objective.is_string() && found != entry.end();
      point.measures.push_back(worked ? number_or_nan(*found) : number_or_nan(nlohmann::json()));
    }
    if (objective.is_string()) {
      point.reason = objective.get<std::string>();
      point.verdict = failure_of(point.reason, place);
    } else {
      point.time = positive(objective, objective_, place);
      if (const auto times = entry.find("times"); times != entry.end()) {
        for (const nlohmann::json& time : *times)
          point.samples.push_back(positive(time, "times", place));
      }
    }
    point.place = std::move(place);
    return point;
  }

  const nlohmann::json& document_;
  LandscapeTable table_;
  std::string objective_;
};

}  // namespace

LandscapeTable read_t4(const nlohmann::ordered_json& document) { return T4Reader(document).read(); }

LandscapeTable read_tuner_cache(const nlohmann::json& document) {
  return TunerReader(document).read();
}

}  // namespace ke
