#include "operators/llm/llm_operator.hpp"

#include <charconv>

#include "operators/llm/child.hpp"

namespace ke {
namespace {

std::int64_t number_of(std::string_view state) {
  std::int64_t number = 0;
  std::from_chars(state.data(), state.data() + state.size(), number);
  return number;
}

Knowledge knowledge_of(Params& params) {
  Params own = params.section("knowledge");
  return Knowledge(own);
}

/// What earlier runs have learned about scenes like this one.
std::string recalled(const PromptScene& scene, RandomStream& random) {
  if (scene.context.lessons == nullptr) return "";
  return scene.context.lessons->recall(knowledge_query(scene), random);
}

std::string_view format_prompt(AnswerFormat format) {
  return format == AnswerFormat::diff ? "diff_format" : "rewrite_format";
}

}  // namespace

LlmOperator::LlmOperator(Params& params, std::string_view prompt, AnswerFormat format,
                         std::int64_t retries)
    : prompt_(prompt),
      format_(format),
      retries_(params.integer("retries", retries, {0, 4},
                              "further answers asked for in the same "
                              "conversation when one cannot be used")),
      max_output_tokens_(
          params.integer("max_output_tokens", 12'000, {64, 1'000'000}, "limit of one answer")),
      model_(params.text("model", "", "model to ask; empty: the run's")),
      sections_(params),
      knowledge_(knowledge_of(params)) {}

Outcome LlmOperator::start(std::span<const Parent> parents, const Context& context,
                           RandomStream& random) const {
  if (parents.empty() && context.seeds.empty()) return NoChild{"no_seeds"};
  const PromptScene scene{parents, context};
  Sections sections = sections_.write(scene);
  const std::string known = knowledge_.look_up(scene, random);
  const std::string lessons = recalled(scene, random);
  sections["knowledge"] = known + lessons;
  sections["rules"] = prompt_text("rules");
  sections["diff_format"] = prompt_text("diff_format");
  sections["rewrite_format"] = prompt_text("rewrite_format");
  Request request;
  request.state = std::to_string(retries_);
  request.request.model = model_;
  request.request.max_output_tokens = max_output_tokens_;
  request.request.messages = render_prompt(prompt_, sections);
  request.request.settings["prompt"] = prompt_version(prompt_);
  if (!known.empty()) request.request.settings["knowledge"] = knowledge_version();
  if (!lessons.empty()) request.request.settings["lessons"] = context.lessons->version();
  return request;
}

Outcome LlmOperator::resume(std::string_view state, const Exchange& exchange,
                            std::span<const Parent> parents, const Context& context,
                            RandomStream& /*random*/) const {
  if (exchange.status != "ok") return NoChild{"model_" + exchange.status, exchange.reply};
  Child child = child_of(exchange.reply, format_, base_of(parents, context));
  if (auto* kernel = std::get_if<Kernel>(&child)) return std::move(*kernel);
  return ask_again(std::get<NoChild>(child), exchange, number_of(state));
}

const Kernel& LlmOperator::base_of(std::span<const Parent> parents, const Context& context) {
  return parents.empty() ? context.seeds.back().kernel : parents.front().candidate->kernel;
}

Outcome LlmOperator::ask_again(const NoChild& why, const Exchange& exchange,
                               std::int64_t retries) const {
  if (retries == 0) return why;
  Request request{std::to_string(retries - 1), exchange.request};
  request.request.messages.push_back({"assistant", exchange.reply});
  const Sections told{{"reason", why.reason},
                      {"message", why.message},
                      {"format", std::string(prompt_text(format_prompt(format_)))}};
  for (Message& message : render_prompt("unusable", told)) {
    request.request.messages.push_back(std::move(message));
  }
  return request;
}

}  // namespace ke
