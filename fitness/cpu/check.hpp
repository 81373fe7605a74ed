#pragma once
// The correctness stage: is a kernel right, on all shapes and classes, before anything is timed?

#include <map>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "fitness/cpu/session.hpp"
#include "fitness/judging/finding.hpp"

namespace ke {

/// How much is checked.
enum class Thoroughness {
  sampled,  ///< all test and bench shapes, one of the others, drawn anew each time
  full,     ///< every shape, and some that stand in no list
};

/// A call whose answer was wrong.
struct WrongCall {
  Workload workload;
  FreshContent content;
};

struct CheckReport {
  std::optional<Finding> finding;         ///< the first thing that went wrong
  std::optional<WrongCall> wrong;         ///< of a finding that is a mismatch
  std::map<std::string, double> call_ns;  ///< best single call by workload label (not net)
  double margin = 0;                      ///< largest error used / allowed; at test shapes
  std::int64_t calls = 0;
  std::map<std::string, double> preparation_ns;  ///< least by bench workload; of some kernels
  bool unchecked_registers = false;  ///< the system let nobody see where and how it stopped
};

/// Judges one library in a fresh process: test shapes with all classes, single-element edits, both
/// placements, repeated contents, then larger shapes, in random order. About 50 to 150 ms for a
/// small kernel.
Result<CheckReport> check_kernel(const Bench& bench, const Library& library,
                                 Thoroughness thoroughness);

/// Whether another library, in a fresh process, gives a wrong answer there too. One that crashes or
/// takes too long gives none.
Result<bool> is_wrong_too(const Bench& bench, const Library& library, const WrongCall& wrong);

}  // namespace ke
