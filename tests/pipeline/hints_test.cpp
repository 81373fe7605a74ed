// Runs that breed hints: edits are facts, and the order in which answers arrive does not matter.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/strategies/operator_choice.hpp"
#include "operators/llm/hints.hpp"
#include "tests/support/function_run.hpp"
#include "tests/support/memory_llm_client.hpp"

namespace ke {
namespace {

/// Asks for the value of a knob, in a letter with a hint.
class AskingWithHint final : public Operator {
 public:
  int arity() const override { return 1; }
  bool asks() const override { return true; }
  bool takes_hint() const override { return true; }
  ke::Outcome start(std::span<const Parent> parents, const Context& context,
                    RandomStream& random) const override {
    const auto& knobs = parents[0].candidate->kernel.knobs;
    auto knob = knobs.begin();
    std::advance(knob, static_cast<std::ptrdiff_t>(random.below(knobs.size())));
    Request request;
    request.request.messages = {{"user", knob->first}};
    if (context.hint != nullptr) carry(*context.hint, request.request);
    return request;
  }
  ke::Outcome resume(std::string_view, const Exchange& exchange, std::span<const Parent> parents,
                     const Context&, RandomStream&) const override {
    Kernel child = parents[0].candidate->kernel;
    const std::string& text = exchange.request.messages[0].text;
    child.knobs[text.substr(0, text.find('\n'))] = exchange.reply;
    return child;
  }
};

enum class Edits { good, broken };

/// A model that depends on the text alone. Values follow from the hint and the knob.
Exchange model(const LlmRequest& request, Edits edits) {
  const auto number = std::hash<Digest>{}(digest_of(request.messages));
  Exchange exchange;
  exchange.status = "ok";
  exchange.reply = std::to_string(number % 33);
  if (edited_hint(request).empty()) return exchange;
  exchange.reply = edits == Edits::good ? "Think of " + exchange.reply + " things." : "```\nx\n```";
  return exchange;
}

MemoryLlmClient client(Edits edits = Edits::good) {
  return MemoryLlmClient([edits](const LlmRequest& request) { return model(request, edits); });
}

SearchPlan breeding_plan(double rate = 0.3, std::int64_t repeats = 1) {
  FunctionRun run;
  run.limits = {120, 0};
  SearchPlan plan = make_plan(run);
  plan.repeats = repeats;
  plan.schedule = std::make_unique<IslandSchedule>(plan.islands.size(), IslandSchedule::Options{});
  for (IslandPlan& island : plan.islands) {
    island.operators.push_back({"asking", 5, std::make_unique<AskingWithHint>()});
  }
  ParamLog log;
  Params defaults(nullptr, "", log);
  plan.hints = std::make_unique<HintPool>(
      HintPlan{shipped_hints(), make_hint_editor(200), rate, 4, read_hint_choice(defaults)});
  return plan;
}

StopRecord breed(MemoryRun& memory, LlmClient& llm, SearchPlan plan = breeding_plan(),
                 std::int64_t stop_after = -1, std::int64_t lanes = 1) {
  FunctionOptions function;
  function.lanes = lanes;
  function.delay_us = lanes > 1 ? 300 : 0;
  const auto stop =
      memory.search(std::move(plan), *make_function_evaluator(function), stop_after, &llm);
  EXPECT_TRUE(stop) << stop.error().message;
  return *stop;
}

/// The exchanges of a run in commit order.
std::vector<Exchange> exchanges_of(const MemoryRun& memory) {
  std::vector<Exchange> all;
  for (const StepRecord& record : memory.history.steps()) {
    for (const auto& keys : record.fact_keys) {
      for (const Digest& key : keys) {
        const auto exchange = memory.facts.find_exchange(key);
        if (exchange && *exchange) all.push_back(**exchange);
      }
    }
  }
  return all;
}

TEST(Breeding, letters_carry_shipped_and_bred_hints_and_each_hint_comes_of_a_known_one) {
  MemoryRun memory;
  MemoryLlmClient llm = client();
  breed(memory, llm);
  std::set<std::string> known, carried, bred;
  for (const Hint& hint : shipped_hints()) known.insert(hint.id);
  for (const Exchange& exchange : exchanges_of(memory)) {
    if (const auto hint = carried_hint(exchange.request)) {
      EXPECT_TRUE(known.contains(hint->id));
      carried.insert(hint->id);
      continue;
    }
    const HintEdit edit = read_hint_edit(exchange);
    if (!edit.hint) {
      EXPECT_EQ(edit.refused, "unchanged");
      continue;
    }
    EXPECT_TRUE(known.contains(edit.hint->parent));
    known.insert(edit.hint->id);
    bred.insert(edit.hint->id);
  }
  EXPECT_GT(bred.size(), 5u);
  EXPECT_GT(carried.size(), 5u);
}

TEST(Breeding, a_live_run_replays_from_its_facts_with_any_number_of_lanes) {
  MemoryRun live, fast;
  MemoryLlmClient one = client(), four = client();
  const StopRecord stop = breed(live, one);
  EXPECT_EQ(breed(fast, four, breeding_plan(), -1, 4).history_hash, stop.history_hash);
  MemoryLlmClient nobody([](const LlmRequest&) -> Exchange {
    ADD_FAILURE() << "the replay asked the model";
    return {};
  });
  MemoryRun replay{{}, live.facts};
  EXPECT_EQ(breed(replay, nobody).history_hash, stop.history_hash);
}

TEST(Breeding, an_interrupted_run_goes_on_and_asks_nothing_twice) {
  MemoryRun whole, memory;
  MemoryLlmClient at_once = client();
  const StopRecord want = breed(whole, at_once);
  std::int64_t calls = 0;
  for (std::int64_t patience = 20;; patience += 20) {
    MemoryLlmClient llm = client();
    const StopRecord stop = breed(memory, llm, breeding_plan(), patience);
    calls += llm.calls();
    if (stop.reason == "interrupted") continue;
    EXPECT_EQ(stop.history_hash, want.history_hash);
    break;
  }
  EXPECT_EQ(calls, at_once.calls());
}

/// The candidates of a run: what they are and what became of them.
std::vector<std::pair<Digest, double>> outcomes(const MemoryRun& memory) {
  std::vector<std::pair<Digest, double>> all;
  for (const CandidatePtr& one : memory.candidates()) {
    all.emplace_back(one->genome_hash, one->evaluation.objective);
  }
  return all;
}

TEST(Breeding, edits_that_are_no_hints_are_recorded_and_change_nothing) {
  MemoryRun never, broken;
  MemoryLlmClient silent = client(), confused = client(Edits::broken);
  SearchPlan without = breeding_plan(0), with = breeding_plan(1);
  without.schedule.reset();  // it counts what edits cost
  with.schedule.reset();
  breed(never, silent, std::move(without));
  breed(broken, confused, std::move(with));
  EXPECT_EQ(outcomes(never), outcomes(broken));
  EXPECT_GT(exchanges_of(never).size(), 50u);
  EXPECT_EQ(exchanges_of(broken).size(), 2 * exchanges_of(never).size());
}

TEST(Breeding, repeats_of_a_prompt_share_its_hint_and_its_edit) {
  MemoryRun memory;
  MemoryLlmClient llm = client();
  breed(memory, llm, breeding_plan(1, 3));
  std::size_t prompts = 0;
  for (const StepRecord& record : memory.history.steps()) {
    std::multiset<std::string> hints;
    std::size_t edits = 0;
    for (const auto& keys : record.fact_keys) {
      for (const Digest& key : keys) {
        const auto exchange = memory.facts.find_exchange(key);
        if (!exchange || !*exchange) continue;
        if (const auto hint = carried_hint((*exchange)->request)) hints.insert(hint->id);
        edits += edited_hint((*exchange)->request).empty() ? 0 : 1;
      }
    }
    if (hints.empty()) continue;
    ++prompts;
    EXPECT_EQ(hints.count(*hints.begin()), 3u);
    EXPECT_EQ(edits, 1u);
  }
  EXPECT_GT(prompts, 10u);
}

TEST(Breeding, without_a_model_it_asks_for_no_edit) {
  MemoryRun memory;
  const auto stop = memory.search(breeding_plan(1), *make_function_evaluator({}));
  ASSERT_TRUE(stop);
  EXPECT_TRUE(exchanges_of(memory).empty());
}

}  // namespace
}  // namespace ke
