#pragma once
// A landscape as read from a file, before its values are numbered. Private to the readers.

#include <string>
#include <vector>

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

}  // namespace ke
