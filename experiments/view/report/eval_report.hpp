#pragma once
// Reports the result of `eval` for one kernel.

#include <string>

#include "core/evaluation.hpp"
#include "experiments/run/console.hpp"

namespace ke {

struct EvalView {
  const Fact& fact;
  std::string against;
  std::string sandbox_level;
};

void print_eval(const EvalView& report, bool json, bool explain, Console& console);

}  // namespace ke
