#include "operators/llm/llm_operator.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "operators/llm/child.hpp"
#include "operators/llm/hints.hpp"
#include "operators/llm/similarity.hpp"

namespace ke {
namespace {

/// Lines of the first parent's ancestors.
LineSet lines_of_ancestors(std::span<const Parent> parents, const Context& context) {
  LineSet lines;
  std::vector<Ancestor> open;
  if (!parents.empty()) open = parents.front().candidate->ancestors;
  std::set<LogicalId> seen;
  while (!open.empty()) {
    const LogicalId id = open.back().id;
    open.pop_back();
    const auto found =
        std::ranges::find(context.judged, id, [](const CandidatePtr& c) { return c->id; });
    if (found == context.judged.end() || !seen.insert(id).second) continue;
    lines.merge(line_set((*found)->kernel.source));
    open.insert(open.end(), (*found)->ancestors.begin(), (*found)->ancestors.end());
  }
  return lines;
}

KnownCode known_code(std::span<const Parent> parents, const Context& context) {
  KnownCode known;
  for (const CandidatePtr& c : context.judged) known.judged.insert(code_hash(c->kernel.source));
  known.deleted = lines_of_ancestors(parents, context);
  return known;
}

/// The reason why a child's code is not new; nothing when it is new.
std::optional<NoChild> reintroduced(const Kernel& child, const Kernel& base,
                                    std::string_view state) {
  const KnownCode known = KnownCode::parse(state);
  if (known.judged.contains(code_hash(child.source))) {
    return NoChild{"reintroduced", "the kernel equals one that was judged before"};
  }
  const LineReuse reuse = line_reuse(line_set(child.source), line_set(base.source), known.deleted);
  if (reuse.added == 0 || reuse.reintroduced < reuse.added) return std::nullopt;
  return NoChild{"reintroduced", "every line that it adds was in an ancestor and was given up"};
}

std::int64_t number_of(std::string_view state) {
  std::int64_t number = 0;
  std::from_chars(state.data(), state.data() + state.size(), number);
  return number;
}

Knowledge knowledge_of(Params& params) {
  Params own = params.section("knowledge");
  return Knowledge(own);
}

/// Lessons of earlier runs about similar scenes.
std::string recalled(const PromptScene& scene, RandomStream& random) {
  if (scene.context.lessons == nullptr) return "";
  return scene.context.lessons->recall(knowledge_query(scene), random);
}

/// Instructions on the answer's format, for the kernels' language.
std::string format_text(AnswerFormat format, const Language& language) {
  const std::string_view name = format == AnswerFormat::diff ? "diff_format" : "rewrite_format";
  return fill(prompt_text(name), {{"fence", language.fences.front()}});
}

std::string rules_text(const Language& language) {
  return fill(prompt_text("rules"), {{"language", language.rules},
                                     {"fence", language.fences.front()},
                                     {"example", language.example}});
}

}  // namespace

LlmOperator::LlmOperator(Params& params, std::string_view prompt, AnswerFormat format, int arity,
                         std::int64_t retries, HintUse hints)
    : prompt_(prompt),
      format_(format),
      arity_(arity),
      retries_(params.integer("retries", retries, {0, 4},
                              "further answers asked for in the same "
                              "conversation when one cannot be used")),
      hints_(hints),
      max_output_tokens_(
          params.integer("max_output_tokens", 12'000, {64, 1'000'000}, "limit of one answer")),
      model_(params.text("model", "", "model to ask; empty: the run's")),
      new_code_(params.added("false").flag(
          "new_code", false, "refuse answers that only bring back what the island had before")),
      sections_(params),
      knowledge_(knowledge_of(params)) {}

Outcome LlmOperator::start(std::span<const Parent> parents, const Context& context,
                           RandomStream& random) const {
  if (parents.empty() && context.shown() == nullptr) return NoChild{"no_seeds"};
  const PromptScene scene{parents, context};
  Sections sections = sections_.write(scene);
  const std::string known = knowledge_.look_up(scene, random);
  const std::string lessons = recalled(scene, random);
  sections["knowledge"] = known + lessons;
  const Language& language = context.kernel_language();
  sections["rules"] = rules_text(language);
  sections["diff_format"] = format_text(AnswerFormat::diff, language);
  sections["rewrite_format"] = format_text(AnswerFormat::rewrite, language);
  Request request;
  request.state = std::to_string(retries_);
  if (new_code_) request.state += known_code(parents, context).text();
  request.request.model = model_;
  request.request.max_output_tokens = max_output_tokens_;
  request.request.messages = render_prompt(prompt_, sections);
  request.request.settings["prompt"] = prompt_version(prompt_);
  if (!known.empty()) request.request.settings["knowledge"] = knowledge_version();
  if (!lessons.empty()) request.request.settings["lessons"] = context.lessons->version();
  if (context.hint != nullptr) carry(*context.hint, request.request);
  return request;
}

Outcome LlmOperator::resume(std::string_view state, const Exchange& exchange,
                            std::span<const Parent> parents, const Context& context,
                            RandomStream& /*random*/) const {
  if (exchange.status != "ok") return failed_answer(exchange);
  const Language& language = context.kernel_language();
  const Kernel& base = base_of(parents, context);
  Child child = child_of(exchange.reply, format_, base, language);
  if (auto* kernel = std::get_if<Kernel>(&child)) {
    const auto old = new_code_ ? reintroduced(*kernel, base, state) : std::nullopt;
    if (!old) return std::move(*kernel);
    child = *old;
  }
  return ask_again(std::get<NoChild>(child), exchange, state, language);
}

NoChild LlmOperator::failed_answer(const Exchange& exchange) {
  const bool reasoned = !exchange.detail.reasoning.empty();
  return {"model_" + exchange.status, reasoned ? "reasoning only, no answer" : exchange.reply};
}

const Kernel& LlmOperator::base_of(std::span<const Parent> parents, const Context& context) {
  return parents.empty() ? context.shown()->kernel : parents.front().candidate->kernel;
}

Outcome LlmOperator::ask_again(const NoChild& why, const Exchange& exchange, std::string_view state,
                               const Language& language) const {
  const std::int64_t retries = number_of(state);
  if (retries == 0) return why;
  const std::string known(state.substr(std::min(state.find(';'), state.size())));
  Request request{std::to_string(retries - 1) + known, exchange.request};
  request.request.messages.push_back({"assistant", exchange.reply});
  const Sections told{
      {"reason", why.reason}, {"message", why.message}, {"format", format_text(format_, language)}};
  for (Message& message : render_prompt("unusable", told)) {
    request.request.messages.push_back(std::move(message));
  }
  return request;
}

}  // namespace ke
