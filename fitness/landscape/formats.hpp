#pragma once
// The two formats and the code that their readers share. Private to the readers.

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "fitness/landscape/table.hpp"

namespace ke {

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
