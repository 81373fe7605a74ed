#pragma once
// The file of calls that the helper program makes under compute-sanitizer or Nsight Compute.

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "fitness/content/content.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::gpu {

/// One call on its own memory.
struct ExaminedCall {
  ResolvedPlan plan;
  std::vector<std::int64_t> bytes;  ///< per tensor, in signature order
  std::vector<std::string> inputs;  ///< contents of the first tensors, the inputs
  KE_CODED(plan, bytes, inputs)
};

/// A call with these inputs.
ExaminedCall examined_call(const ResolvedPlan& plan, const Content& content);

struct ExaminedCalls {
  std::int64_t index = 0;  ///< index of the GPU
  std::vector<std::string> cubins;
  std::vector<ExaminedCall> calls;
  KE_CODED(index, cubins, calls)
};

}  // namespace ke::gpu
