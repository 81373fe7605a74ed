#pragma once
// Runs an agent's conversation: reads replies, executes their calls, reports what is left.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/codec.hpp"
#include "core/kernel.hpp"
#include "core/llm_client.hpp"
#include "core/operator.hpp"
#include "operators/llm/knowledge.hpp"
#include "operators/llm/tools/tool_table.hpp"

namespace ke {

/// A kernel that the model wrote during the conversation.
struct AgentKernel {
  Kernel kernel;
  bool right = false;  ///< passed a check, or was timed
  double speedup = 0;  ///< over the anchor; 0 = not timed
  KE_CODED(kernel, right, speedup)
};

/// The remaining budget of a conversation.
struct AgentLimits {
  std::int64_t turns = 0;    ///< replies of the model
  std::int64_t calls = 0;    ///< tool calls
  std::int64_t tokens = 0;   ///< input and output of all its requests
  std::int64_t retries = 0;  ///< unusable answers
  KE_CODED(turns, calls, tokens, retries)
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
  KE_CODED(request, left, kernels, timed_builds, open, alone, stray_code, faults)
};

/// The context of a conversation.
struct AgentScene {
  std::span<const Parent> parents;
  const Context& context;
  const Kernel& base;  ///< origin of the conversation's kernels
  const KnowledgeShelf& knowledge;
};

/// Continues a conversation until the search must act. Each call of a reply gets one message of
/// role `tool`, in order; the last one reports what is left of the limits. Ends with
///   the kernel that the model submits or writes as its answer,
///   or, if a limit or the provider ends it, the fastest kernel that was timed, else the last one
///   that passed a check,
///   or NoChild{agent_limit, model_<status>, or the reason why the last answer is unusable}.
class AgentConversation {
 public:
  AgentConversation(AgentState state, const AgentScene& scene)
      : state_(std::move(state)), scene_(scene) {}

  Outcome take_reply(const Exchange& exchange);
  Outcome take_trial(const TrialFacts& facts);

 private:
  /// A kernel with the name used in the conversation.
  struct Named {
    std::string name;
    Kernel kernel;
    std::optional<std::size_t> own;  ///< index among the conversation's kernels; none = a parent
  };
  /// Outcome of a call: its result, a trial to wait for, or the answer.
  using Step = std::variant<std::string, Trial, HashedKernel>;

  Outcome go_on();
  Step carry_out(const ToolCall& call);
  Step use_kernel(const ToolCall& call);
  Step submit(const Named& named);
  std::variant<Named, std::string> kernel_of(const ToolCall& call);
  std::variant<Named, std::string> written(const std::string& source);
  std::variant<Named, std::string> kernel_named(std::string_view name) const;
  std::string show(const ToolCall& call) const;
  void learn(const Named& named, TrialKind kind, const TrialFacts& facts);
  void count_tokens(const Exchange& exchange);
  void answer(std::string text);
  std::string faulty(std::string text);
  std::string what_is_left() const;
  std::int64_t timed_left() const;
  bool is_over() const { return state_.left.turns == 0; }
  Outcome unusable(NoChild why);
  Outcome end(NoChild why) const;

  AgentState state_;
  const AgentScene& scene_;
};

}  // namespace ke
