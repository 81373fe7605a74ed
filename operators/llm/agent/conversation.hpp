#pragma once
// Runs an agent's conversation: reads replies, executes their calls, reports what is left.

#include <optional>
#include <variant>

#include "core/operator.hpp"
#include "operators/llm/agent/agent_state.hpp"
#include "operators/llm/knowledge.hpp"

namespace ke {

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
