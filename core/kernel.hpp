#pragma once
// A kernel: the unit that is compiled and measured.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/codec.hpp"

namespace ke {

/// One point of a genome: language, source, knob values, flags and launch plan.
struct Kernel {
  std::string language = "cpp";
  std::string name;  ///< file name of the original source; not part of the identity
  std::string source;
  std::map<std::string, std::string> knobs;  ///< knob name -> value as written in its declaration
  std::vector<std::string> flags;            ///< one per flag gene, in declared order; "" = omitted
  std::string launch_plan;                   ///< GPU languages only

  /// First identity: equal exactly when language, source, knobs, flags and launch plan are.
  Digest genome_hash() const;

  KE_CODED(language, name, source, knobs, flags, launch_plan)
};

}  // namespace ke
