// Operators that ask a model: exchanges are facts, and their order of arrival does not matter.

#include <gtest/gtest.h>

#include <set>

#include "tests/support/function_run.hpp"
#include "tests/support/memory_llm_client.hpp"

namespace ke {
namespace {

/// Asks for the value of one knob, and once more if the reply is no value.
class Asking final : public Operator {
 public:
  int arity() const override { return 1; }
  bool asks() const override { return true; }
  Outcome start(std::span<const Parent> parents, const Context&,
                RandomStream& random) const override {
    Request request;
    request.state = "first";
    const auto& knobs = parents[0].candidate->kernel.knobs;
    auto knob = knobs.begin();
    std::advance(knob, static_cast<std::ptrdiff_t>(random.below(knobs.size())));
    request.request.messages = {{"user", knob->first}};
    return request;
  }
  Outcome resume(std::string_view state, const Exchange& exchange, std::span<const Parent> parents,
                 const Context&, RandomStream&) const override {
    if (exchange.reply == "what?") {
      if (state == "second") return NoChild{"no_answer"};
      Request again;
      again.state = "second";
      again.request = exchange.request;
      again.request.messages.push_back({"user", "a number, please"});
      return again;
    }
    Kernel child = parents[0].candidate->kernel;
    child.knobs[exchange.request.messages[0].text] = exchange.reply;
    return child;
  }
};

/// A model whose answer depends only on the text; sometimes it does not understand.
Exchange model(const LlmRequest& request) {
  const auto number = std::hash<Digest>{}(digest_of(request));
  Exchange exchange;
  exchange.status = "ok";
  exchange.reply = number % 3 == 0 ? "what?" : std::to_string(number % 33);
  exchange.output_tokens = 1;
  return exchange;
}

SearchPlan asking_plan(std::int64_t repeats = 1) {
  FunctionRun run;
  run.limits = {80, 0};
  SearchPlan plan = make_plan(run);
  plan.repeats = repeats;
  for (IslandPlan& island : plan.islands) {
    island.operators.push_back({"asking", 5, std::make_unique<Asking>()});
  }
  return plan;
}

Result<StopRecord> run_with(LlmClient* llm, MemoryRun& memory, std::int64_t stop_after = -1,
                            SearchPlan plan = asking_plan(), bool until_waiting = false) {
  const auto evaluator = make_function_evaluator({});
  return memory.search(std::move(plan), *evaluator, stop_after, llm, until_waiting);
}

/// Runs the plan again from the facts alone.
Result<StopRecord> replay(const MemoryRun& live, SearchPlan plan = asking_plan()) {
  MemoryLlmClient nobody([](const LlmRequest&) -> Exchange {
    ADD_FAILURE() << "the replay asked the model";
    return {};
  });
  MemoryRun fresh{{}, live.facts};
  return run_with(&nobody, fresh, -1, std::move(plan));
}

TEST(AskingOperator, a_live_run_replays_from_its_exchanges_without_a_model) {
  MemoryLlmClient llm(model);
  MemoryRun memory;
  const auto live = run_with(&llm, memory);
  ASSERT_TRUE(live);
  EXPECT_GT(llm.calls(), 20);
  const auto replayed = replay(memory);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->history_hash, live->history_hash);
}

TEST(AskingOperator, an_interrupted_run_goes_on_and_asks_nothing_twice) {
  MemoryRun whole_memory, memory;
  MemoryLlmClient whole(model);
  const auto want = run_with(&whole, whole_memory);
  ASSERT_TRUE(want);
  std::int64_t calls = 0;
  for (std::int64_t patience = 20;; patience += 20) {
    MemoryLlmClient llm(model);
    const auto stop = run_with(&llm, memory, patience);
    ASSERT_TRUE(stop);
    calls += llm.calls();
    if (stop->reason == "interrupted") continue;
    EXPECT_EQ(stop->history_hash, want->history_hash);
    break;
  }
  EXPECT_EQ(calls, whole.calls());
}

/// Answers a few requests per session; then only letters are open.
class FewAnswers final : public LlmClient {
 public:
  explicit FewAnswers(std::int64_t answers) : left_(answers) {}
  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    return inner_.submit(key, request);
  }
  std::vector<Exchange> poll(std::chrono::milliseconds wait) override {
    if (left_ == 0) return {};
    auto answers = inner_.poll(wait);
    left_ -= static_cast<std::int64_t>(answers.size());
    return answers;
  }
  void cancel(const Digest& key) override { inner_.cancel(key); }
  std::optional<OpenLetters> open_letters() const override {
    return left_ > 0 ? std::nullopt : std::optional(OpenLetters{1, "here"});
  }

 private:
  MemoryLlmClient inner_{model};
  std::int64_t left_;
};

TEST(AskingOperator, a_run_that_ends_whenever_it_waits_goes_on_to_the_same_history) {
  MemoryLlmClient always(model);
  MemoryRun whole_memory, memory;
  const auto want = run_with(&always, whole_memory);
  ASSERT_TRUE(want);
  int waits = 0;
  for (;; ++waits) {
    ASSERT_LT(waits, 200);
    FewAnswers llm(5);
    const auto stop = run_with(&llm, memory, -1, asking_plan(), true);
    ASSERT_TRUE(stop);
    if (stop->reason == "waiting") continue;
    EXPECT_EQ(stop->history_hash, want->history_hash);
    break;
  }
  EXPECT_GT(waits, 5);
}

TEST(AskingOperator, repeats_put_one_prompt_to_the_model_before_any_answer_counts) {
  constexpr std::int64_t repeats = 3;
  std::int64_t calls = 0;  // the model answers differently each time
  MemoryLlmClient llm([&calls](const LlmRequest& request) {
    Exchange exchange = model(request);
    exchange.reply = std::to_string(calls++ % 33);
    return exchange;
  });
  MemoryRun memory;
  const auto stop = run_with(&llm, memory, -1, asking_plan(repeats));
  ASSERT_TRUE(stop);
  EXPECT_LE(stop->proposals, 80);
  std::size_t asked = 0;
  for (const auto& record : memory.history.steps()) {
    const bool asks = record.candidates.front()->operator_name == "asking";
    ASSERT_EQ(record.candidates.size(), asks ? 3u : 1u);
    if (!asks) continue;
    ++asked;
    std::set<std::string> prompts;
    std::set<Digest> keys;
    for (std::size_t i = 0; i < record.candidates.size(); ++i) {
      EXPECT_EQ(record.candidates[i]->ancestors.front().id,
                record.candidates.front()->ancestors.front().id);
      const auto exchange = memory.facts.find_exchange(record.fact_keys[i].front());
      ASSERT_TRUE(exchange && *exchange);
      prompts.insert((*exchange)->request.messages.front().text);
      keys.insert((*exchange)->key);
    }
    EXPECT_EQ(prompts.size(), 1u);
    EXPECT_EQ(keys.size(), 3u);
  }
  EXPECT_GT(asked, 8u);
  const auto replayed = replay(memory, asking_plan(repeats));
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->history_hash, stop->history_hash);
}

TEST(AskingOperator, without_a_model_it_is_a_row_with_a_reason) {
  MemoryRun memory;
  ASSERT_TRUE(run_with(nullptr, memory));
  int unanswered = 0;
  for (const CandidatePtr& candidate : memory.candidates()) {
    unanswered += candidate->no_child_reason == "no_model" ? 1 : 0;
  }
  EXPECT_GT(unanswered, 10);
}

}  // namespace
}  // namespace ke
