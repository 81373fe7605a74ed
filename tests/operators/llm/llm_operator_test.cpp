#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operators/registry.hpp"
#include "tests/conformance/operator_samples.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* source =
    "// @knob UNROLL int {1, 2, 4} = 1\n"
    "// @flags -O3; -funroll-loops?\n"
    "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
    "  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i];\n"
    "}\n";

constexpr const char* good_diff =
    "The multiplication is an addition.\n"
    "<<<<<<< SEARCH\n"
    "  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i];\n"
    "=======\n"
    "  for (std::size_t i = 0; i < n; ++i) out[i] = in[i] + in[i];\n"
    ">>>>>>> REPLACE\n";

using Options = std::map<std::string, std::string>;

std::unique_ptr<Operator> make(std::string_view name, const Options& given = {}) {
  return make_operator(name, test::text_options(given));
}

/// A judged candidate with this source.
CandidatePtr candidate(std::int64_t step, Verdict verdict, const std::string& text = source) {
  auto space = parse_kernel_space("k.cpp", text);
  auto made = std::make_shared<Candidate>();
  made->id = {step, 0, 0};
  made->operator_name = "seed_source";
  made->kernel = space->defaults("k.cpp", text);
  made->kernel.knobs["UNROLL"] = "4";
  made->genome_hash = made->kernel.genome_hash();
  made->evaluation.verdict = verdict;
  made->evaluation.objective = 1.25;
  made->evaluation.interval = {1.2, 1.3};
  made->evaluation.reason = verdict == Verdict::ok ? "" : "mismatch";
  made->evaluation.feedback =
      R"({"verdict":"ok","failure":{"inputs":"large"},"timing":{"against":"anchor","answer":"better",)"
      R"("workloads":[{"workload":"n=8","ns":12.0,"limiter":"memory","floor_share":0.9}]},)"
      R"("hot_loop":["vmulps ymm0"]})";
  return made;
}

struct Asked {
  std::unique_ptr<Operator> op;
  std::vector<Parent> parents;
  Context context{{}, "Doubles each number.", {7, 0, 0}};
  RandomStream random{{1, 0, 7, 0, Purpose::vary}};

  explicit Asked(std::unique_ptr<Operator> made) : op(std::move(made)) {
    context.hardware = "Xeon avx2";
  }
  Request start() {
    Outcome outcome = op->start(parents, context, random);
    EXPECT_TRUE(std::holds_alternative<Request>(outcome));
    return std::get<Request>(std::move(outcome));
  }
  Outcome answer(const Request& request, const std::string& reply,
                 const std::string& status = "ok") {
    Exchange exchange;
    exchange.request = request.request;
    exchange.status = status;
    exchange.reply = reply;
    return op->resume(request.state, exchange, parents, context, random);
  }
};

Asked mutation(const Options& options = {}) {
  Asked asked(make("llm_mutation", options));
  asked.parents = {{candidate(3, Verdict::ok), ParentRole::parent}};
  return asked;
}

TEST(LlmMutation, shows_task_machine_parent_and_what_the_judge_said) {
  const Request request = mutation().start();
  ASSERT_EQ(request.request.messages.size(), 2u);
  EXPECT_EQ(request.request.messages[0].role, "system");
  const std::string& prompt = request.request.messages[1].text;
  for (const char* part :
       {"Doubles each number.", "Xeon avx2", "out[i] = 2 * in[i]", "UNROLL=4",
        "1.250 [1.200, 1.300]", "It failed, inputs large", "bench n=8:", "parent: 0.01 us",
        "n=8: limited by memory", "vmulps ymm0", "<<<<<<< SEARCH"}) {
    EXPECT_THAT(prompt, HasSubstr(part));
  }
  EXPECT_THAT(prompt, Not(HasSubstr("{{")));
  EXPECT_THAT(request.request.settings.at("prompt"), testing::StartsWith("mutation_diff@"));
}

TEST(LlmMutation, tells_what_hardware_counters_say) {
  Asked asked = mutation();
  auto profiled = std::make_shared<Candidate>(*asked.parents[0].candidate);
  profiled->evaluation.feedback =
      R"({"verdict":"ok","profile":["DRAM 91 % of peak: memory-bound.","Occupancy 25 %."]})";
  profiled->evaluation.measures["ncu_dram_pct"] = 91.3;
  asked.parents[0].candidate = profiled;
  const Request request = asked.start();
  EXPECT_THAT(request.request.messages[1].text,
              HasSubstr("DRAM 91 % of peak: memory-bound.\nOccupancy 25 %.\n"));
  EXPECT_THAT(request.request.messages[1].text, Not(HasSubstr("ncu_dram_pct")));
}

TEST(LlmMutation, leaves_out_what_is_switched_off) {
  const Request request =
      mutation({{"context.timing", "false"}, {"context.profile", "false"}}).start();
  const std::string& prompt = request.request.messages[1].text;
  EXPECT_THAT(prompt, Not(HasSubstr("0.01 us")));
  EXPECT_THAT(prompt, Not(HasSubstr("vmulps")));
  EXPECT_THAT(prompt, HasSubstr("1.250"));
}

TEST(LlmMutation, cuts_a_section_to_its_tokens_and_says_so) {
  const Request request = mutation({{"tokens.parent", "40"}}).start();
  const std::string& prompt = request.request.messages[1].text;
  EXPECT_THAT(prompt, HasSubstr("[the rest is left out]"));
  EXPECT_THAT(prompt, Not(HasSubstr("UNROLL=4")));
}

TEST(LlmMutation, applies_the_answer_and_keeps_knobs_that_the_child_still_declares) {
  Asked asked = mutation();
  const Outcome outcome = asked.answer(asked.start(), good_diff);
  const Kernel& child = std::get<HashedKernel>(outcome).kernel;
  EXPECT_THAT(child.source, HasSubstr("out[i] = in[i] + in[i];"));
  EXPECT_EQ(child.knobs.at("UNROLL"), "4");
}

TEST(LlmMutation, takes_a_whole_file_when_told_to) {
  Asked asked = mutation({{"format", "rewrite"}});
  const std::string text =
      "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
      "  while (n-- > 0) out[n] = 2 * in[n];\n}\n";
  const Outcome outcome = asked.answer(asked.start(), "Backwards.\n```cpp\n" + text + "```\n");
  const Kernel& child = std::get<HashedKernel>(outcome).kernel;
  EXPECT_EQ(child.source, text);
  EXPECT_TRUE(child.knobs.empty());
}

TEST(LlmMutation, asks_again_in_the_same_conversation_and_then_gives_up) {
  Asked asked = mutation();
  const std::string misses = "<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE\n";
  const Outcome second = asked.answer(asked.start(), misses);
  const auto* again = std::get_if<Request>(&second);
  ASSERT_NE(again, nullptr);
  const auto& messages = again->request.messages;
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[2].role, "assistant");
  EXPECT_EQ(messages[2].text, misses);
  EXPECT_THAT(messages[3].text, HasSubstr("no_match"));
  EXPECT_THAT(std::get<HashedKernel>(asked.answer(*again, good_diff)).kernel.source,
              HasSubstr("in[i] + in[i]"));
  const Outcome given_up = asked.answer(*again, misses);
  EXPECT_EQ(std::get<NoChild>(given_up).reason, "no_match");
  EXPECT_FALSE(std::get<NoChild>(given_up).message.empty());
}

TEST(LlmMutation, tells_failures_of_the_model_from_bad_answers) {
  Asked asked = mutation();
  const Outcome outcome = asked.answer(asked.start(), "", "timeout");
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "model_timeout");
}

TEST(LlmMutation, refuses_declarations_that_cannot_be_read) {
  Asked asked = mutation({{"format", "rewrite"}, {"retries", "0"}});
  const Outcome outcome = asked.answer(
      asked.start(), "```cpp\n// @knob UNROLL int {} = 3\nvoid kernel(int n) { }\n```\n");
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "declarations");
}

TEST(LlmRepair, takes_the_newest_failure_that_nobody_has_repaired) {
  Asked asked(make("llm_repair"));
  auto repaired = std::make_shared<Candidate>(*candidate(6, Verdict::ok));
  repaired->ancestors = {{{5, 0, 0}, ParentRole::failed}};
  const std::vector<CandidatePtr> judged = {candidate(2, Verdict::wrong_result),
                                            candidate(4, Verdict::suspicious),
                                            candidate(5, Verdict::compile_error), repaired};
  asked.context.judged = judged;
  asked.parents = asked.op->own_parents(asked.context);
  ASSERT_EQ(asked.parents.size(), 1u);
  EXPECT_EQ(asked.parents[0].candidate->id.step, 2);
  EXPECT_EQ(asked.parents[0].role, ParentRole::failed);
  const std::string prompt = asked.start().request.messages[1].text;
  EXPECT_THAT(prompt, HasSubstr("wrong_result (mismatch)"));
  EXPECT_THAT(prompt, HasSubstr("Failed kernel"));
}

TEST(LlmRepair, has_nothing_to_do_where_nothing_failed) {
  Asked asked(make("llm_repair"));
  EXPECT_TRUE(asked.op->own_parents(asked.context).empty());
  const Outcome outcome = asked.op->start({}, asked.context, asked.random);
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "nothing_to_repair");
}

TEST(LlmCrossover, shows_both_parents) {
  Asked asked(make("llm_crossover"));
  asked.parents = {{candidate(1, Verdict::ok), {}},
                   {candidate(2, Verdict::ok, std::string(source) + "// second\n"), {}}};
  const std::string prompt = asked.start().request.messages[1].text;
  EXPECT_THAT(prompt, HasSubstr("Parent 1"));
  EXPECT_THAT(prompt, HasSubstr("// second"));
}

TEST(LlmDraft, needs_only_the_task_and_a_seed_for_the_parameters) {
  Asked asked(make("llm_draft"));
  const Seed seed = conformance_seed();
  asked.context.seeds = {&seed, 1};
  const std::string prompt = asked.start().request.messages[1].text;
  EXPECT_THAT(prompt, HasSubstr("A working kernel, for its parameters"));
}

TEST(LlmDraft, takes_language_and_name_of_the_kernel_that_is_shown_where_no_seed_is) {
  Asked asked(make("llm_draft"));
  const Seed shown = conformance_seed();
  asked.context.interface = &shown;
  const Request request = asked.start();
  EXPECT_THAT(request.request.messages[1].text, HasSubstr("A working kernel, for its parameters"));
  Exchange exchange;
  exchange.status = "ok";
  exchange.reply = "```cpp\n" + std::string(source) + "```\n";
  const Outcome outcome =
      asked.op->resume(request.state, exchange, {}, asked.context, asked.random);
  const auto* made = std::get_if<HashedKernel>(&outcome);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->kernel.name, shown.kernel.name);
  EXPECT_EQ(made->kernel.language, shown.kernel.language);
}

TEST(LlmDraft, has_nothing_to_show_without_any_kernel) {
  Asked asked(make("llm_draft"));
  const Outcome outcome = asked.op->start({}, asked.context, asked.random);
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "no_seeds");
}

TEST(LlmRestructure, asks_for_another_structure_in_a_whole_file) {
  Asked asked(make("llm_restructure"));
  asked.parents = {{candidate(3, Verdict::ok), ParentRole::parent}};
  const Request request = asked.start();
  const std::string& prompt = request.request.messages[1].text;
  EXPECT_THAT(prompt, HasSubstr("another structure"));
  EXPECT_THAT(prompt, HasSubstr("out[i] = 2 * in[i]"));
  EXPECT_THAT(prompt, Not(HasSubstr("<<<<<<< SEARCH")));
  EXPECT_THAT(request.request.settings.at("prompt"), testing::StartsWith("restructure@"));
}

TEST(LlmMutation, shows_what_failed_before_unless_it_is_switched_off) {
  for (const bool on : {true, false}) {
    Asked asked = mutation(on ? Options{} : Options{{"context.failures", "false"}});
    const std::vector<CandidatePtr> judged{candidate(1, Verdict::wrong_result)};
    asked.context.judged = judged;
    const std::string prompt = asked.start().request.messages[1].text;
    EXPECT_EQ(prompt.find("1 kernel failed, wrong_result (mismatch)") != prompt.npos, on);
  }
}

/// A run whose third kernel dropped a line of the first one and is now the parent.
struct GaveUp {
  explicit GaveUp(const Options& options) : asked(make("llm_mutation", options)) {
    std::string text = source;
    const std::size_t at = text.find("2 * in[i]");
    auto first = std::make_shared<Candidate>(
        *candidate(1, Verdict::ok, std::string(text).replace(at, 9, "in[i] + in[i]")));
    auto parent = std::make_shared<Candidate>(*candidate(3, Verdict::ok));
    parent->ancestors = {{first->id, ParentRole::parent}};
    judged = {first, parent};
    asked.parents = {{parent, ParentRole::parent}};
    asked.context.judged = judged;
  }
  Asked asked;
  std::vector<CandidatePtr> judged;
};

TEST(LlmMutation, new_code_refuses_what_an_ancestor_gave_up) {
  GaveUp island({{"new_code", "true"}, {"retries", "0"}});
  const Outcome outcome = island.asked.answer(island.asked.start(), good_diff);
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "reintroduced");
}

TEST(LlmMutation, new_code_is_told_in_the_same_conversation_and_the_next_answer_is_held_to_it) {
  GaveUp island({{"new_code", "true"}, {"retries", "1"}});
  const Outcome again = island.asked.answer(island.asked.start(), good_diff);
  const auto& request = std::get<Request>(again);
  EXPECT_THAT(request.request.messages.back().text, HasSubstr("reintroduced"));
  EXPECT_EQ(std::get<NoChild>(island.asked.answer(request, good_diff)).reason, "reintroduced");
}

TEST(LlmMutation, new_code_refuses_a_judged_kernel_in_other_words) {
  GaveUp island({{"new_code", "true"}, {"retries", "0"}});
  auto twin = std::make_shared<Candidate>(*candidate(2, Verdict::ok));
  const std::string text = source;
  twin->kernel.source =
      "// @knob UNROLL int {1, 2, 4} = 1\n// @flags -O3; -funroll-loops?\n"
      "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
      "  for (std::size_t i = 0; i < n; ++i)\n    out[i] = 3 * in[i];  // so\n}\n";
  island.judged.push_back(twin);
  island.asked.context.judged = island.judged;
  const std::string tripled =
      "<<<<<<< SEARCH\n"
      "  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i];\n"
      "=======\n"
      "  for (std::size_t i = 0; i < n; ++i) out[i] = 3 * in[i];\n"
      ">>>>>>> REPLACE\n";
  const Outcome outcome = island.asked.answer(island.asked.start(), tripled);
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "reintroduced");
}

TEST(LlmMutation, without_new_code_an_old_line_may_come_back) {
  GaveUp island({});
  const Outcome outcome = island.asked.answer(island.asked.start(), good_diff);
  EXPECT_TRUE(std::holds_alternative<HashedKernel>(outcome));
}

}  // namespace
}  // namespace ke
