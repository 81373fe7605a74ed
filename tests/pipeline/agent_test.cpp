// The operator llm_agent within a search: its trials are facts, count against the budget, and
// replay.

#include <gtest/gtest.h>

#include <atomic>
#include <charconv>
#include <set>

#include "fitness/pure_evaluator.hpp"
#include "tests/support/function_run.hpp"
#include "tests/support/memory_llm_client.hpp"

namespace ke {
namespace {

std::string kernel_of_value(std::int64_t value) {
  return "extern \"C\" void kernel() { v = " + std::to_string(value) + "; }\n";
}

/// Number after the last "v = " in a text.
std::int64_t value_in(std::string_view text) {
  std::int64_t value = 0;
  const std::size_t at = text.rfind("v = ");
  if (at == text.npos) return value;
  std::from_chars(text.data() + at + 4, text.data() + text.size(), value);
  return value;
}

/// Multiples of 7 do not compile, multiples of 5 are wrong; other values are as fast as they are
/// large.
Fact judge_value(const Job& job) {
  Fact fact;
  fact.key = job.key;
  const std::int64_t value = value_in(job.kernel.source);
  fact.build_hash = job.kernel.genome_hash();
  fact.measures = {{"m0", static_cast<double>(value % 10) / 5 - 1}, {"m1", 0.0}};
  fact.verdict = Verdict::ok;
  if (value % 7 == 0) {
    fact.verdict = Verdict::compile_error;
    fact.build_hash = {};
  } else if (job.kind == JobKind::screen && value % 5 == 0) {
    fact.verdict = Verdict::wrong_result;
  } else if (job.kind != JobKind::build && !job.roles.empty()) {
    const double speed = static_cast<double>(value) / 10;
    fact.comparison = Comparison{Decision::none, speed, {speed, speed}, 0, {}};
  }
  return fact;
}

EvaluatorInfo value_info(std::int64_t lanes) {
  EvaluatorInfo info;
  info.kind = "fake";
  info.device_class = "fake";
  info.toolchain = "fake";
  info.noisy = false;
  info.lanes = lanes;
  return info;
}

std::string call_text(const std::string& tool, std::int64_t value) {
  return "```tool\n{\"tool\": \"" + tool + "\", \"arguments\": {}}\n```\n```cpp\n" +
         kernel_of_value(value) + "```\n";
}

/// Works on one kernel at a time: compiles, checks and times it at once, then times another, then
/// submits the last one. Depends only on the conversation.
Exchange agent_model(const LlmRequest& request) {
  std::int64_t replies = 0;
  for (const Message& message : request.messages) replies += message.role == "assistant" ? 1 : 0;
  const std::string& first = request.messages.at(1).text;
  const auto chance = static_cast<std::int64_t>(first.size() % 9);
  const std::int64_t value =
      value_in(first.substr(0, first.find("```\n", first.find("```cpp")))) + 1 + chance;
  Exchange exchange;
  exchange.status = "ok";
  exchange.output_tokens = 10;
  if (replies == 0) {
    exchange.reply =
        call_text("compile", value) + call_text("check", value) + call_text("time", value);
  } else if (replies == 1) {
    exchange.reply = call_text("time", value + 1) + "```tool\n{\"tool\": \"dance\"}\n```\n";
  } else if (value % 4 == 0) {
    exchange.reply = "```cpp\n" + kernel_of_value(value + 2) + "```\n";
  } else {
    exchange.reply = "```tool\n{\"tool\": \"submit\", \"arguments\": {\"kernel\": \"k2\"}}\n```\n";
  }
  return exchange;
}

SearchPlan agent_plan(std::int64_t evaluations) {
  FunctionRun run;
  run.islands = 2;
  run.lag = 1;
  run.limits = {0, evaluations};
  SearchPlan plan = make_plan(run);
  Seed seed;
  seed.space =
      std::make_shared<const KernelSpace>(*parse_kernel_space("k.cpp", kernel_of_value(11)));
  seed.kernel = seed.space->defaults("k.cpp", kernel_of_value(11));
  plan.devices[0].seeds = {seed};
  for (IslandPlan& island : plan.islands) {
    for (NamedOperator& named : island.operators) named.weight = named.name == "llm_agent" ? 1 : 0;
  }
  return plan;
}

struct AgentRun : MemoryRun {
  std::atomic<std::int64_t> jobs = 0;
  std::int64_t calls = 0;

  Result<StopRecord> go(std::int64_t evaluations, std::int64_t lanes = 1,
                        std::int64_t stop_after = -1) {
    const auto evaluator = make_pure_evaluator(value_info(lanes), [this](const Job& job) {
      ++jobs;
      return judge_value(job);
    });
    MemoryLlmClient llm(agent_model);
    auto record = search(agent_plan(evaluations), *evaluator, stop_after, &llm);
    calls += llm.calls();
    return record;
  }
};

/// Spending by a run's facts: the number of binaries that a step's candidates had timed.
std::int64_t spent_by_facts(const AgentRun& run, std::int64_t& trials) {
  std::int64_t spent = 0;
  for (const auto& record : run.history.steps()) {
    for (std::size_t i = 0; i < record.candidates.size(); ++i) {
      const Candidate& made = *record.candidates[i];
      std::set<Digest> timed;
      for (const Digest& key : record.fact_keys[i]) {
        const auto fact = run.facts.find(key);
        if (fact && *fact && (*fact)->comparison) timed.insert((*fact)->build_hash);
      }
      timed.erase(made.evaluation.build_hash);
      trials += static_cast<std::int64_t>(timed.size());
      spent += static_cast<std::int64_t>(timed.size()) + (made.evaluation.measured ? 1 : 0);
    }
  }
  return spent;
}

TEST(AgentOperator, its_timed_kernels_are_charged_and_never_exceed_the_budget) {
  for (const std::int64_t limit : {7, 20, 60}) {
    AgentRun run;
    const auto stop = run.go(limit);
    ASSERT_TRUE(stop) << stop.error().message;
    EXPECT_EQ(stop->reason, "budget");
    EXPECT_LE(stop->evaluations, limit);
    EXPECT_GT(stop->evaluations, limit - 7);
    std::int64_t trials = 0;
    const std::int64_t by_facts = spent_by_facts(run, trials);
    EXPECT_GT(trials, 0);
    // Wrong values were judged as well, but have no comparison.
    EXPECT_GE(stop->evaluations, by_facts);
    EXPECT_LE(stop->evaluations, by_facts + limit / 3);
  }
}

TEST(AgentOperator, the_kernel_that_was_timed_is_not_measured_again) {
  AgentRun run;
  ASSERT_TRUE(run.go(60));
  int submitted = 0;
  for (const auto& record : run.history.steps()) {
    for (std::size_t i = 0; i < record.candidates.size(); ++i) {
      const Candidate& made = *record.candidates[i];
      if (made.operator_name != "llm_agent" || made.outcome != OutcomeKind::kernel) continue;
      ++submitted;
      std::multiset<Digest> keys(record.fact_keys[i].begin(), record.fact_keys[i].end());
      for (const Digest& key : keys) EXPECT_EQ(keys.count(key), 1u);
      EXPECT_GE(keys.size(), 3u + 2u) << "three exchanges, a build, a screen";
    }
  }
  EXPECT_GT(submitted, 5);
}

TEST(AgentOperator, replays_from_its_facts_with_nothing_asked_compiled_or_measured) {
  AgentRun live;
  const auto stop = live.go(60);
  ASSERT_TRUE(stop);
  EXPECT_GT(live.calls, 15);
  const std::int64_t jobs = live.jobs, calls = live.calls;
  live.history = {};
  const auto replayed = live.go(60);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->history_hash, stop->history_hash);
  EXPECT_EQ(live.jobs, jobs);
  EXPECT_EQ(live.calls, calls);
}

TEST(AgentOperator, the_history_does_not_depend_on_the_number_of_workers) {
  AgentRun one;
  const auto want = one.go(60);
  ASSERT_TRUE(want);
  for (const std::int64_t lanes : {2, 8}) {
    AgentRun many;
    const auto stop = many.go(60, lanes);
    ASSERT_TRUE(stop);
    EXPECT_EQ(stop->history_hash, want->history_hash) << lanes;
  }
}

TEST(AgentOperator,
     a_run_interrupted_in_the_midst_of_conversations_goes_on_and_asks_nothing_twice) {
  AgentRun whole;
  const auto want = whole.go(60);
  ASSERT_TRUE(want);
  AgentRun run;
  for (std::int64_t patience = 10;; patience += 10) {
    ASSERT_LT(patience, 10'000);
    const auto stop = run.go(60, 1, patience);
    ASSERT_TRUE(stop);
    if (stop->reason == "interrupted") continue;
    EXPECT_EQ(stop->history_hash, want->history_hash);
    break;
  }
  EXPECT_EQ(run.calls, whole.calls);
}

TEST(Budget, admits_further_evaluations_of_a_slot_only_as_far_as_they_fit) {
  Budget budget({0, 10});
  EXPECT_TRUE(budget.fits(2));
  budget.ask(2);
  EXPECT_EQ(budget.reserve(5), 5);
  EXPECT_EQ(budget.reserve(5), 3);
  EXPECT_FALSE(budget.fits(1));
  budget.settle(2, 5);
  EXPECT_EQ(budget.evaluations(), 2);
  EXPECT_TRUE(budget.fits(4));
  EXPECT_FALSE(budget.fits(5));
  budget.settle(0, 3);
  EXPECT_TRUE(budget.fits(8));
  EXPECT_EQ(Budget({5, 0}).reserve(4), 4);
}

}  // namespace
}  // namespace ke
