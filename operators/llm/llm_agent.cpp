#include <fmt/format.h>

#include "operators/llm/agent/conversation.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/llm_operator.hpp"
#include "operators/llm/tools/tool_table.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// " Arguments: .." for tools whose arguments the prompt does not explain elsewhere.
std::string arguments_text(const ToolSpec& tool) {
  if (tool.takes_source) return "";
  std::string text;
  const Json schema = parse_json(tool.parameters);
  for (const auto& [name, about] : schema["properties"].items()) {
    text += fmt::format("{}{} ({})", text.empty() ? " Arguments: " : ", ", name,
                        about.value("description", ""));
  }
  return text + ".";
}

/// The agent of [Liao2025] as an operator: a conversation in which the model compiles, checks,
/// times and profiles kernels, looks things up, and then submits one. A loop over start and resume:
///   start:  the prompt with the tools -> Request
///   reply:  its calls -> a Trial each, or a result at once; then the next Request
///           or the submitted kernel
/// Every trial is a fact of the run, so the conversation can be replayed. Timed kernels count as
/// evaluations of the budget. Needs one parent, or none with `parents: 0`.
class LlmAgent final : public LlmOperator {
 public:
  explicit LlmAgent(Params& params) : LlmAgent(params, parents_of(params)) {}

  std::int64_t most_requests() const override { return limits_.turns; }
  std::int64_t most_timed() const override { return timed_; }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    Outcome outcome = LlmOperator::start(parents, context, random);
    auto* request = std::get_if<Request>(&outcome);
    if (request == nullptr) return outcome;
    request->request.settings[std::string(tools_setting)] = offer_of(offered_);
    request->request.messages.front().text += "\n" + tools_text();
    AgentState state;
    state.left = limits_;
    request->state = encode(state);
    return outcome;
  }

  Outcome resume(std::string_view state, const Exchange& exchange, std::span<const Parent> parents,
                 const Context& context, RandomStream& /*random*/) const override {
    const AgentScene scene{parents, context, base_of(parents, context), knowledge_};
    return conversation(state, scene).take_reply(exchange);
  }

  Outcome resume(std::string_view state, const TrialFacts& facts, std::span<const Parent> parents,
                 const Context& context, RandomStream& /*random*/) const override {
    const AgentScene scene{parents, context, base_of(parents, context), knowledge_};
    return conversation(state, scene).take_trial(facts);
  }

 private:
  LlmAgent(Params& params, int parents)
      : LlmOperator(params, parents == 0 ? "agent_draft" : "agent", AnswerFormat::rewrite, parents,
                    3),
        limits_(read_limits(params)),
        timed_(params.integer("evaluations", 4, {0, 1000},
                              "kernels timed in one conversation at most; each is an evaluation "
                              "of the budget, beside that of the answer")),
        knowledge_(all_passages()) {
    const std::vector<std::string> off =
        params.texts("without", {}, "tools that are not offered, e.g. [profile, show]");
    for (const std::string& name : off) {
      if (find_tool(name) == nullptr) params.fail("without", fmt::format("no tool '{}'", name));
    }
    for (const ToolSpec& tool : agent_tools()) {
      if (std::ranges::find(off, tool.name) == off.end()) offered_.push_back(&tool);
    }
  }

  static int parents_of(Params& params) {
    return static_cast<int>(params.integer("parents", 1, {0, 1},
                                           "kernels that it starts from; 0 = from the task alone"));
  }

  AgentLimits read_limits(Params& params) const {
    AgentLimits limits;
    limits.turns = params.integer("turns", 12, {1, 256}, "replies of the model in a conversation");
    limits.calls = params.integer("calls", 24, {0, 4096}, "tool calls in a conversation");
    limits.tokens = params.integer("total_tokens", 400'000, {1000, 100'000'000},
                                   "input and output tokens of a conversation");
    limits.retries = retries();
    return limits;
  }

  AgentConversation conversation(std::string_view state, const AgentScene& scene) const {
    auto read = decode<AgentState>(state);
    KE_CHECK(read);
    return AgentConversation(*std::move(read), scene);
  }

  std::string tools_text() const {
    std::string tools;
    for (const ToolSpec* tool : offered_) {
      tools += fmt::format("- {}: {}{}\n", tool->name, tool->doc, arguments_text(*tool));
    }
    const Sections sections{{"tools", tools},
                            {"turns", std::to_string(limits_.turns)},
                            {"calls", std::to_string(limits_.calls)},
                            {"timed", std::to_string(timed_)}};
    return render_prompt("agent_tools", sections).front().text;
  }

  AgentLimits limits_;
  std::int64_t timed_;
  std::vector<const ToolSpec*> offered_;
  KnowledgeShelf knowledge_;
};

}  // namespace

std::unique_ptr<Operator> make_llm_agent_operator(Params& params) {
  return std::make_unique<LlmAgent>(params);
}

}  // namespace ke
