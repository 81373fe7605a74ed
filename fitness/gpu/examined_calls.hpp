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
  void encode(Encoder& out) const { out(plan)(bytes)(inputs); }
  void decode(Decoder& in) { in(plan)(bytes)(inputs); }
};

/// A call with these inputs.
ExaminedCall examined_call(const ResolvedPlan& plan, const Content& content);
/// Bytes of all tensors of a call.
std::int64_t bytes_of_call(const Shapes& shapes);

struct ExaminedCalls {
  std::int64_t index = 0;  ///< index of the GPU
  std::vector<std::string> cubins;
  std::vector<ExaminedCall> calls;
  void encode(Encoder& out) const { out(index)(cubins)(calls); }
  void decode(Decoder& in) { in(index)(cubins)(calls); }
};

}  // namespace ke::gpu
