#pragma once
// What this machine offers to evaluators on GPUs.

#include <string>

namespace ke::gpu {

/// One line about each thing that this backend needs: what is there, or what is missing and why.
struct ProbeLine {
  std::string what;
  bool ok = false;
  std::string detail;
};

}  // namespace ke::gpu
