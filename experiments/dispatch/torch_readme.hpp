#pragma once
// Writes the page of a package of PyTorch operators. Private to experiments.

#include <string>
#include <vector>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// A library, and the content of its operator.json.
struct PackagedLibrary {
  std::string folder;
  DispatchPlan plan;
  Json interface;
};

/// Text of a call, "layernorm(x, weight, bias)": inputs, then axes that no input tells.
std::string call_text(const PackagedLibrary& library);

/// `README.md` of the package.
std::string torch_readme(const std::string& package, const std::vector<PackagedLibrary>& libraries);

}  // namespace ke
