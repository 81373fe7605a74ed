#pragma once
// State of an agent's conversation between two calls of its operator.

#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/kernel.hpp"
#include "core/llm_client.hpp"
#include "operators/llm/tools/tool_call.hpp"

namespace ke {

/// A kernel that the model wrote during the conversation.
struct AgentKernel {
  Kernel kernel;
  bool right = false;  ///< passed a check, or was timed
  double speedup = 0;  ///< over the anchor; 0 = not timed
  void encode(Encoder& out) const { out(kernel)(right)(speedup); }
  void decode(Decoder& in) { in(kernel)(right)(speedup); }
};

/// The remaining budget of a conversation.
struct AgentLimits {
  std::int64_t turns = 0;    ///< replies of the model
  std::int64_t calls = 0;    ///< tool calls
  std::int64_t tokens = 0;   ///< input and output of all its requests
  std::int64_t retries = 0;  ///< unusable answers
  void encode(Encoder& out) const { out(turns)(calls)(tokens)(retries); }
  void decode(Decoder& in) { in(turns)(calls)(tokens)(retries); }
};

struct AgentState {
  LlmRequest request;  ///< the conversation so far
  AgentLimits left;
  std::vector<AgentKernel> kernels;  ///< named k1, k2, ..
  std::vector<Digest> timed_builds;  ///< binaries that were timed
  std::vector<ToolCall> open;        ///< calls of the last reply without a result
  bool alone = false;                ///< the last reply made exactly one call
  bool stray_code = false;           ///< the last reply also held code that belongs to no call
  std::int64_t faults = 0;           ///< unusable calls and answers

  void encode(Encoder& out) const {
    out(request)(left)(kernels)(timed_builds)(open)(alone)(stray_code)(faults);
  }
  void decode(Decoder& in) {
    in(request)(left)(kernels)(timed_builds)(open)(alone)(stray_code)(faults);
  }
};

}  // namespace ke
