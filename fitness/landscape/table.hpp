#pragma once
// A landscape as a file gives it, before its values are numbered. Private to the readers.

#include <string>
#include <vector>

#include "core/verdict.hpp"

namespace ke {

/// A parameter's value: how it is written, and what kind of value it is.
struct RawValue {
  enum class Kind { integer, real, boolean, text };
  Kind kind = Kind::text;
  std::string text;
  double number = 0;  ///< of integers and reals; 0 or 1 of booleans
};

/// One configuration with what became of it.
struct RawPoint {
  std::string place;             ///< where it stands in the file, for messages
  std::vector<RawValue> values;  ///< in the order of the table's parameters
  Verdict verdict = Verdict::ok;
  std::string reason;            ///< how it failed, as the file says it; "" for ok
  double time = 0;               ///< the recorded objective; 0 unless ok
  std::vector<double> samples;   ///< raw repeats in the same unit, perhaps none
  std::vector<double> measures;  ///< in the order of the table's measures; NaN = not recorded
};

struct LandscapeTable {
  std::string file;
  std::string kernel;    ///< what was tuned, where the file says so
  std::string device;    ///< where, if the file says so
  double unit_ns = 1e6;  ///< of times
  std::vector<std::string> parameters;
  std::vector<std::string> measures;
  std::vector<RawPoint> points;
};

}  // namespace ke
