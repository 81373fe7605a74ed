#include "operators/llm/agent/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "operators/llm/child.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/prompt_sections.hpp"
#include "operators/llm/prompts.hpp"
#include "operators/llm/tools/tool_table.hpp"

namespace ke {
namespace {

// Reports of trials, candidates and elites for the model.

constexpr std::int64_t longest_report = 12'000;  ///< tokens
constexpr std::size_t most_elites = 64;

/// The evaluation that a candidate with these facts would have.
Evaluation evaluation_of(const TrialFacts& facts) {
  const Fact& last = facts.judged ? *facts.judged : facts.build;
  Evaluation e;
  e.take(last);
  e.measures = facts.build.measures;
  for (const auto& [name, value] : last.measures) e.measures[name] = value;
  if (last.comparison) {
    e.objective = last.comparison->speedup;
    e.interval = last.comparison->ci;
  }
  return e;
}

std::string against_parent(const Evaluation& e, std::span<const Parent> parents) {
  if (parents.empty()) return "";
  const Evaluation& parent = parents.front().candidate->evaluation;
  if (parent.verdict != Verdict::ok || parent.objective <= 0) return "";
  return fmt::format("That is {:.3f} times the speed of your parent.\n",
                     e.objective / parent.objective);
}

std::string verdict_text(std::string_view name, TrialKind kind, const TrialFacts& facts) {
  if (facts.build.verdict != Verdict::ok) return fmt::format("{} does not build.\n", name);
  if (!facts.judged) return fmt::format("{} builds.\n", name);
  const bool ok = facts.judged->verdict == Verdict::ok;
  if (!ok && !is_judged(facts.judged->verdict)) {
    return fmt::format("{} could not be judged ({}: {}).\n", name, to_string(facts.judged->verdict),
                       facts.judged->reason);
  }
  switch (kind) {
    case TrialKind::time: return fmt::format("{} is {}.\n", name, ok ? "right" : "refused");
    case TrialKind::profile:
      return fmt::format("{}: the sanitizers found {}.\n", name, ok ? "nothing" : "a fault");
    default: return fmt::format("{} {} the check.\n", name, ok ? "passes" : "fails");
  }
}

/// The facts of the kernel `name` in the format of the prompts' sections, with its times beside the
/// scene's parent. Contains nothing about holdout shapes, since feedback has none.
std::string trial_report(std::string_view name, TrialKind kind, const TrialFacts& facts,
                         const PromptScene& scene) {
  auto made = std::make_shared<Candidate>();
  made->evaluation = evaluation_of(facts);
  std::vector<Parent> kernels = {{made, ParentRole::parent}};
  kernels.insert(kernels.end(), scene.parents.begin(), scene.parents.end());
  Context context{{}, "", {}};
  context.sheet = scene.context.sheet;
  const PromptScene alone{std::span(kernels).first(1), context, name};
  const PromptScene beside{kernels, context, name};
  std::string text = verdict_text(name, kind, facts);
  const bool ok = made->evaluation.verdict == Verdict::ok;
  if (ok && kind == TrialKind::time) {
    text += score_section(beside) + against_parent(made->evaluation, scene.parents) +
            timing_section(beside);
  }
  if (ok && kind != TrialKind::check) text += profile_section(alone);
  return cut_to_tokens(text + diagnostics_section(alone), longest_report);
}

/// A candidate with its code and all of the judge's results. `name`: its name in the conversation.
std::string candidate_report(std::string_view name, const CandidatePtr& candidate,
                             const Context& context) {
  const Parent shown{candidate, ParentRole::inspiration};
  const PromptScene scene{{&shown, 1}, context, name};
  std::string text = fmt::format("{}, by {}\n", name, candidate->operator_name);
  for (const SectionKind& kind : section_kinds()) {
    const bool about_it = kind.name == "parent" || kind.name == "score" ||
                          kind.name == "diagnostics" || kind.name == "timing" ||
                          kind.name == "profile" || kind.name == "ancestors";
    if (about_it) text += cut_to_tokens(kind.text(scene), kind.tokens);
  }
  return text;
}

/// One line per elite: cell, id, speedup, measures.
std::string elites_report(std::span<const Elite> elites) {
  if (elites.empty()) return "There are no elites yet.\n";
  std::string text;
  for (const Elite& elite : elites.first(std::min(elites.size(), most_elites))) {
    const Evaluation& e = elite.candidate->evaluation;
    text += fmt::format("cell {}: {}, {:.3f} times the task's own kernel", elite.cell,
                        elite.candidate->id.text(), e.objective);
    for (const auto& [name, value] : e.measures) text += fmt::format(", {} {:.3g}", name, value);
    text += "\n";
  }
  if (elites.size() > most_elites)
    text += fmt::format("and {} more\n", elites.size() - most_elites);
  return text;
}

constexpr std::string_view parent_name = "parent";

std::optional<TrialKind> trial_of(std::string_view tool) {
  if (tool == "compile") return TrialKind::build;
  if (tool == "check") return TrialKind::check;
  if (tool == "time") return TrialKind::time;
  if (tool == "profile") return TrialKind::profile;
  return std::nullopt;
}

std::string argument(const ToolCall& call, std::string_view name) {
  return text_at(parse_json(call.arguments), name);
}

std::string unknown_tool(const ToolCall& call, const std::vector<const ToolSpec*>& offered) {
  std::vector<std::string> names;
  for (const ToolSpec* tool : offered) names.emplace_back(tool->name);
  return fmt::format("There is no tool '{}'; there are: {}{}\n", call.tool.substr(0, 60),
                     fmt::join(names, ", "), suggestion(call.tool.substr(0, 60), names));
}

std::string look_up(const ToolCall& call, const AgentScene& scene) {
  constexpr std::size_t most_passages = 3;
  constexpr std::int64_t longest_answer = 2500;  // tokens
  const std::string query = argument(call, "query");
  if (trim(query).empty()) return "look_up needs the argument 'query', a text.\n";
  KnowledgeNeed need = need_of({scene.parents, scene.context});
  need.query = query;
  auto found = scene.knowledge.fitting(need);
  if (found.size() > most_passages) found.resize(most_passages);
  std::string text;
  for (const KnowledgePassage* passage : found) {
    text += passage->text();
  }
  if (text.empty()) return "Nothing is known of that; try other words.\n";
  return cut_to_tokens(std::move(text), longest_answer);
}

}  // namespace

// ---- replies

Outcome AgentConversation::take_reply(const Exchange& exchange) {
  const std::string& status = exchange.status;
  count_tokens(exchange);
  if (status != "ok" && status != "truncated" && status != "empty") {
    return end({"model_" + status, exchange.reply});
  }
  const bool blank = trim(exchange.reply).empty();
  state_.request = exchange.request;
  state_.request.messages.push_back({"assistant", blank ? "(no text)" : exchange.reply});
  ToolReply reply = read_tool_reply(exchange.reply);
  if (!reply.calls.empty()) {
    state_.alone = reply.calls.size() == 1;
    state_.stray_code = reply.has_code;
    state_.open = std::move(reply.calls);
    return go_on();
  }
  if (status != "ok") {
    return unusable({status, status == "empty" ? "your reply holds no text"
                                               : "your reply was cut off; answer shorter"});
  }
  Child child = child_of(exchange.reply, AnswerFormat::rewrite, scene_.base,
                         scene_.context.kernel_language());
  if (auto* kernel = std::get_if<Kernel>(&child)) return std::move(*kernel);
  return unusable(std::get<NoChild>(std::move(child)));
}

/// Estimates tokens as a quarter of the bytes if the provider reports none.
void AgentConversation::count_tokens(const Exchange& exchange) {
  std::int64_t tokens = exchange.input_tokens + exchange.output_tokens;
  if (tokens == 0) {
    tokens = estimated_tokens(exchange.reply);
    for (const Message& message : exchange.request.messages) {
      tokens += estimated_tokens(message.text);
    }
  }
  AgentLimits& left = state_.left;
  left.tokens = std::max<std::int64_t>(0, left.tokens - tokens);
  left.turns = std::max<std::int64_t>(0, left.turns - 1);
  if (left.tokens == 0) left.turns = std::min<std::int64_t>(left.turns, 1);
}

Outcome AgentConversation::unusable(NoChild why) {
  ++state_.faults;
  if (is_over() || state_.left.retries == 0) return end(std::move(why));
  --state_.left.retries;
  const Sections told{{"reason", why.reason},
                      {"message", why.message},
                      {"format", std::string(prompt_text("rewrite_format"))}};
  for (Message& message : render_prompt("unusable_turn", told)) {
    state_.request.messages.push_back(std::move(message));
  }
  state_.request.messages.back().text += what_is_left();
  return Request{encode(state_), state_.request};
}

Outcome AgentConversation::end(NoChild why) const {
  const AgentKernel* best = nullptr;
  for (const AgentKernel& kernel : state_.kernels) {
    if (!kernel.right) continue;
    if (best == nullptr || kernel.speedup >= best->speedup) best = &kernel;
  }
  if (best != nullptr) return best->kernel;
  return why;
}

// ---- calls

Outcome AgentConversation::go_on() {
  while (!state_.open.empty()) {
    Step step = carry_out(state_.open.front());
    if (auto* trial = std::get_if<Trial>(&step)) {
      trial->state = encode(state_);
      return std::move(*trial);
    }
    if (auto* kernel = std::get_if<HashedKernel>(&step)) return std::move(*kernel);
    answer(std::get<std::string>(std::move(step)));
  }
  if (is_over()) {
    return end({"agent_limit", fmt::format("the conversation reached its limit without a kernel "
                                           "that passed a check; {} calls or answers could not be "
                                           "used",
                                           state_.faults)});
  }
  std::string& last = state_.request.messages.back().text;
  if (state_.stray_code) {
    ++state_.faults;
    last +=
        "\nThe code outside of your calls was not used: give a call its kernel in the fence "
        "right behind it, and give your answer in a reply without calls.\n";
  }
  last += what_is_left();
  return Request{encode(state_), state_.request};
}

void AgentConversation::answer(std::string text) {
  state_.request.messages.push_back({"tool", std::move(text)});
  state_.open.erase(state_.open.begin());
}

std::string AgentConversation::faulty(std::string text) {
  ++state_.faults;
  return text;
}

AgentConversation::Step AgentConversation::carry_out(const ToolCall& call) {
  const auto offered = offered_tools(state_.request);
  const bool known =
      std::ranges::any_of(offered, [&](const ToolSpec* tool) { return tool->name == call.tool; });
  const bool submits = call.tool == "submit" && call.fault.empty();
  if (!submits && is_over()) return std::string("This was your last reply.\n");
  if (!submits && state_.left.calls == 0) {
    return faulty("No tool calls are left. Answer now: submit a kernel, or give the whole file.\n");
  }
  if (!submits) --state_.left.calls;
  if (!call.fault.empty()) {
    return faulty(fmt::format("This call was not carried out: {}.\n", call.fault));
  }
  if (!known) return faulty(unknown_tool(call, offered));
  if (call.tool == "look_up") return look_up(call, scene_);
  if (call.tool == "show") return show(call);
  return use_kernel(call);
}

AgentConversation::Step AgentConversation::use_kernel(const ToolCall& call) {
  auto found = kernel_of(call);
  if (auto* problem = std::get_if<std::string>(&found)) return faulty(std::move(*problem));
  Named& named = std::get<Named>(found);
  const auto kind = trial_of(call.tool);
  if (!kind) return submit(named);
  if (!named.own && (*kind == TrialKind::check || *kind == TrialKind::time)) {
    return candidate_report(named.name, scene_.parents.front().candidate, scene_.context);
  }
  if (*kind == TrialKind::time && timed_left() == 0) {
    return faulty("No timed kernels are left in this conversation; check is still there.\n");
  }
  return Trial{"", std::move(named.kernel), *kind};
}

AgentConversation::Step AgentConversation::submit(const Named& named) {
  if (!named.own) return faulty("The parent is no new kernel: submit another one.\n");
  if (!state_.alone && !is_over()) {
    return faulty(
        fmt::format("{} was not submitted, as other calls stood beside: read their "
                    "results, then submit alone.\n",
                    named.name));
  }
  return HashedKernel(named.kernel);
}

std::variant<AgentConversation::Named, std::string> AgentConversation::kernel_of(
    const ToolCall& call) {
  if (call.source) return written(*call.source);
  return kernel_named(argument(call, "kernel"));
}

std::variant<AgentConversation::Named, std::string> AgentConversation::written(
    const std::string& source) {
  Child child = child_of(fenced_source(source), AnswerFormat::rewrite, scene_.base,
                         scene_.context.kernel_language());
  if (const auto* why = std::get_if<NoChild>(&child)) {
    return fmt::format("This source cannot be used ({}): {}\n", why->reason, why->message);
  }
  const Kernel& made = std::get<Kernel>(child);
  const Digest genome = made.genome_hash();
  std::size_t at = 0;
  while (at < state_.kernels.size() && state_.kernels[at].kernel.genome_hash() != genome) ++at;
  if (at == state_.kernels.size()) state_.kernels.push_back({made});
  return Named{fmt::format("k{}", at + 1), made, at};
}

std::variant<AgentConversation::Named, std::string> AgentConversation::kernel_named(
    std::string_view name) const {
  if (name == parent_name && !scene_.parents.empty()) {
    return Named{std::string(name), scene_.base, std::nullopt};
  }
  const auto number =
      name.starts_with('k') ? number_from<std::size_t>(name.substr(1)) : std::nullopt;
  if (number && *number >= 1 && *number <= state_.kernels.size()) {
    return Named{std::string(name), state_.kernels[*number - 1].kernel, *number - 1};
  }
  return fmt::format(
      "This call needs a kernel: its source in the fence right behind the block, or the argument "
      "'kernel' with the name of an earlier one ({}{}){}.\n",
      scene_.parents.empty() ? "" : "parent",
      state_.kernels.empty() ? "" : fmt::format(", k1 to k{}", state_.kernels.size()),
      name.empty() ? "" : fmt::format("; '{}' is none", name.substr(0, 60)));
}

std::string AgentConversation::show(const ToolCall& call) const {
  const Json arguments = parse_json(call.arguments);
  const auto& elites = scene_.context.elites;
  if (const Json* cell = find(arguments, "cell"); cell != nullptr && cell->is_number_integer()) {
    for (const Elite& elite : elites) {
      if (static_cast<std::int64_t>(elite.cell) != cell->get<std::int64_t>()) continue;
      return candidate_report(elite.candidate->id.text(), elite.candidate, scene_.context);
    }
    return "No elite stands in that cell.\n" + elites_report(elites);
  }
  const std::string id = text_at(arguments, "kernel");
  if (id == parent_name && !scene_.parents.empty()) {
    return candidate_report(id, scene_.parents.front().candidate, scene_.context);
  }
  const auto best = std::ranges::max_element(
      elites, {}, [](const Elite& elite) { return elite.candidate->evaluation.objective; });
  if (id == "best" && best != elites.end()) {
    return candidate_report(best->candidate->id.text(), best->candidate, scene_.context);
  }
  if (const auto own = kernel_named(id); id != parent_name && own.index() == 0) {
    return fmt::format("```\n{}```\n", std::get<Named>(own).kernel.source);
  }
  for (const CandidatePtr& candidate : scene_.context.judged) {
    if (candidate->id.text() == id) return candidate_report(id, candidate, scene_.context);
  }
  const bool lists = id.empty() || id == "elites";
  return (lists ? "" : fmt::format("There is no kernel '{}'.\n", id.substr(0, 60))) +
         elites_report(elites);
}

// ---- trials

Outcome AgentConversation::take_trial(const TrialFacts& facts) {
  const ToolCall call = state_.open.front();
  auto found = kernel_of(call);
  KE_CHECK(std::holds_alternative<Named>(found));
  const Named& named = std::get<Named>(found);
  const TrialKind kind = trial_of(call.tool).value_or(TrialKind::build);
  learn(named, kind, facts);
  answer(trial_report(named.name, kind, facts, {scene_.parents, scene_.context}));
  return go_on();
}

void AgentConversation::learn(const Named& named, TrialKind kind, const TrialFacts& facts) {
  if (!facts.judged || kind == TrialKind::profile) return;
  const Fact& judged = *facts.judged;
  if (kind == TrialKind::time && is_judged(judged.verdict)) {
    const Digest& build = facts.build.build_hash;
    const bool known = std::ranges::find(state_.timed_builds, build) != state_.timed_builds.end();
    if (!known) state_.timed_builds.push_back(build);
  }
  if (!named.own || !is_judged(judged.verdict)) return;
  AgentKernel& kernel = state_.kernels[*named.own];
  kernel.right = judged.verdict == Verdict::ok;
  if (kernel.right && kind == TrialKind::time && judged.comparison)
    kernel.speedup = judged.comparison->speedup;
}

// ---- limits

std::int64_t AgentConversation::timed_left() const {
  return scene_.context.timed_trials - static_cast<std::int64_t>(state_.timed_builds.size());
}

std::string AgentConversation::what_is_left() const {
  if (state_.left.turns == 1) {
    return "\n[One reply is left: submit a kernel, or give the whole file. Other calls are not "
           "carried out any more.]\n";
  }
  return fmt::format("\n[Left: {} replies, {} tool calls, {} timed kernels.]\n", state_.left.turns,
                     state_.left.calls, timed_left());
}

}  // namespace ke
