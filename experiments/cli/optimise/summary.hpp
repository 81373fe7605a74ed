#pragma once
// The summary at the end of `optimise`: what became faster over what, what did not and why, what it
// cost, and how to use it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"

namespace ke {

/// One task at its end.
struct OptimisedTask {
  std::string name;
  std::string reason;                ///< why there is no library; "" = there is one
  std::optional<DispatchPlan> plan;  ///< of the library
  /// Whether the library is faster than PyTorch, with 95 % confidence, at shapes that decided
  /// nothing.
  bool faster() const;
};

struct OptimiseSummary {
  std::vector<OptimisedTask> tasks;
  std::string package;             ///< folder of the package; "" = none
  std::vector<std::string> calls;  ///< of its operators
  bool model = false;              ///< the package has load_model()
  std::string model_figures;       ///< what `deploy` measured of the model; "" = nothing
  std::int64_t answers = 0;
  std::int64_t tokens = 0;
  double dollars = 0;
  std::map<std::string, double> seconds;  ///< by kind of step
};

std::string text_of(const OptimiseSummary& summary);
Json json_of(const OptimiseSummary& summary);

}  // namespace ke
