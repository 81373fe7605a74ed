#pragma once
// The two formats of landscapes and what their readers share: a landscape as read from a file,
// before its values are numbered. Private to the readers.

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/verdict.hpp"

namespace ke {

/// A parameter's value: its text and its kind.
struct RawValue {
  enum class Kind { integer, real, boolean, text };
  Kind kind = Kind::text;
  std::string text;
  double number = 0;  ///< for integers and reals; 0 or 1 for booleans
};

/// One configuration with its result.
struct RawPoint {
  std::string place;             ///< place in the file, for messages
  std::vector<RawValue> values;  ///< in the order of the table's parameters
  Verdict verdict = Verdict::ok;
  std::string reason;            ///< kind of failure, as in the file; "" for ok
  double time = 0;               ///< the recorded objective; 0 unless ok
  std::vector<double> samples;   ///< raw repeats in the same unit, may be empty
  std::vector<double> measures;  ///< in the order of the table's measures; NaN = not recorded
};

struct LandscapeTable {
  std::string file;
  std::string kernel;    ///< the tuned kernel, if the file names it
  std::string device;    ///< the device, if the file names it
  double unit_ns = 1e6;  ///< unit of times
  std::vector<std::string> parameters;
  std::vector<std::string> measures;
  std::vector<RawPoint> points;
};

/// Both throw FormatError, or an exception of the JSON library when a key has another type.
LandscapeTable read_t4(const nlohmann::ordered_json& document);
LandscapeTable read_tuner_cache(const nlohmann::json& document);

/// The problem, and its place in the document.
struct FormatError {
  std::string place;
  std::string what;
};

/// Returns object[key]; `place` is for messages.
template <typename Json>
const Json& member(const Json& object, const char* key, const std::string& place) {
  if (!object.is_object()) throw FormatError{place, "is no object"};
  const auto found = object.find(key);
  if (found == object.end()) throw FormatError{place, "has no '" + std::string(key) + "'"};
  return *found;
}

template <typename Json>
RawValue raw_value(const Json& value, const std::string& place) {
  if (value.is_number_integer()) {
    return {RawValue::Kind::integer, value.dump(), value.template get<double>()};
  }
  if (value.is_number()) return {RawValue::Kind::real, value.dump(), value.template get<double>()};
  if (value.is_boolean()) {
    return {RawValue::Kind::boolean, value.dump(), value.template get<bool>() ? 1.0 : 0.0};
  }
  if (value.is_string()) return {RawValue::Kind::text, value.template get<std::string>(), 0};
  throw FormatError{place, "a parameter's value must be a number, a bool or a text"};
}

/// A time or a raw sample: a number above 0.
template <typename Json>
double positive(const Json& value, std::string_view what, const std::string& place) {
  const double number = value.is_number() ? value.template get<double>() : 0;
  if (number > 0 && std::isfinite(number)) return number;
  throw FormatError{place, std::string(what) + " = " + value.dump() + " is not a time above 0"};
}

template <typename Json>
double number_or_nan(const Json& value) {
  return value.is_number() ? value.template get<double>()
                           : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ke
