#include "operators/llm/tools/tool_table.hpp"
#include "tests/operators/llm/agent/agent_kit.hpp"

namespace ke {
namespace {

using test::AgentTalk;
using testing::HasSubstr;
using testing::Not;

using Options = std::map<std::string, std::string>;

std::string call(const std::string& tool, const std::string& arguments,
                 const std::string& source = "") {
  std::string text = "```tool\n{\"tool\":\"" + tool + "\",\"arguments\":" + arguments + "}\n```\n";
  return source.empty() ? text : text + "```cpp\n" + source + "```\n";
}

TEST(LlmAgent, tells_of_its_tools_and_offers_them_to_apis) {
  AgentTalk talk;
  talk.start();
  ASSERT_NE(talk.request(), nullptr);
  const LlmRequest& request = talk.request()->request;
  const std::string& system = request.messages.front().text;
  for (const ToolSpec& tool : agent_tools()) {
    EXPECT_THAT(system, HasSubstr("- " + std::string(tool.name) + ": " + std::string(tool.doc)));
  }
  EXPECT_THAT(system, HasSubstr("12 replies, 24 tool calls and 4 timed kernels"));
  EXPECT_THAT(system, Not(HasSubstr("{{")));
  EXPECT_THAT(request.messages.back().text, HasSubstr("out[i] = 2 * in[i]"));
  EXPECT_EQ(request.settings.at("tools"), "agent/1 compile check time profile look_up show submit");
}

TEST(LlmAgent, leaves_out_tools_that_are_switched_off) {
  AgentTalk talk(Options{{"without", "profile"}});
  talk.start();
  EXPECT_THAT(talk.request()->request.messages.front().text, Not(HasSubstr("- profile:")));
  talk.reply(call("profile", R"({"kernel":"parent"})"));
  EXPECT_THAT(talk.told(), HasSubstr("There is no tool 'profile'"));
}

TEST(LlmAgent, an_unknown_tool_to_leave_out_is_an_error) {
  const Node options = test::text_options({{"without", "prophile"}});
  ParamLog log;
  Params params(&options, "", log);
  find_component(operators(), "llm_agent")->make(params);
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_THAT(log.errors[0], HasSubstr("no tool 'prophile'"));
}

TEST(LlmAgent, starts_from_the_task_alone_where_it_takes_no_parent) {
  AgentTalk talk(Options{{"parents", "0"}});
  talk.parents.clear();
  Seed seed;
  seed.kernel = test::agent_candidate(0)->kernel;
  talk.context.seeds = {&seed, 1};
  talk.start();
  ASSERT_NE(talk.request(), nullptr);
  EXPECT_THAT(talk.request()->request.messages.back().text, HasSubstr("from scratch"));
  talk.reply(call("time", R"({"kernel":"parent"})"));
  EXPECT_THAT(talk.told(), HasSubstr("'parent' is none"));
}

TEST(LlmAgent, shows_elites_by_cell_and_ancestors_by_id) {
  AgentTalk talk;
  const auto other = test::agent_candidate(
      1, "extern \"C\" void kernel(const float* in, float* out, std::size_t n) { other(); }\n");
  const Elite elite{17, other};
  const std::vector<CandidatePtr> judged = {test::agent_candidate(2), other};
  talk.context.elites = {&elite, 1};
  talk.context.judged = judged;
  talk.start();
  talk.reply(call("show", "{}"));
  EXPECT_THAT(talk.told(), HasSubstr("cell 17: 1.0.0, 1.250 times the task's own kernel, "
                                     "registers 12"));
  for (const char* which : {R"({"cell":17})", R"({"kernel":"1.0.0"})", R"({"kernel":"best"})"}) {
    talk.reply(call("show", which));
    EXPECT_THAT(talk.told(), HasSubstr("other();")) << which;
    EXPECT_THAT(talk.told(), HasSubstr("1.250 [1.200, 1.300]")) << which;
  }
}

TEST(LlmAgent, waits_for_a_trial_with_the_kernel_as_a_candidate_would_have_it) {
  AgentTalk talk;
  talk.start();
  talk.reply(call("check", "{}",
                  "// @knob UNROLL int {1, 2, 4} = 2\nextern \"C\" void kernel(const float* in, "
                  "float* out, std::size_t n) { for (;;) {} }\n"));
  ASSERT_NE(talk.trial(), nullptr);
  EXPECT_EQ(talk.trial()->kind, TrialKind::check);
  EXPECT_EQ(talk.trial()->kernel.kernel.knobs.at("UNROLL"), "2");
  EXPECT_EQ(talk.trial()->kernel.kernel.name, "k.cpp");
  EXPECT_EQ(talk.trial()->kernel.genome_hash, talk.trial()->kernel.kernel.genome_hash());
}

TEST(LlmAgent, tells_compiler_messages_and_mismatches_as_prompts_do) {
  AgentTalk talk;
  talk.start();
  talk.reply(call("check", "{}",
                  "extern \"C\" void kernel(const float* in, float* out, std::size_t n) { }\n"));
  TrialFacts facts = test::trial_facts(*talk.trial(), Verdict::wrong_result);
  facts.judged->reason = "mismatch";
  facts.judged->feedback =
      R"({"verdict":"wrong_result","failure":{"inputs":"large","workload":"n=8"}})";
  talk.judged(facts);
  EXPECT_THAT(talk.told(), HasSubstr("Verdict: wrong_result (mismatch)\n"));
  EXPECT_THAT(talk.told(), HasSubstr("n=8"));
}

TEST(LlmAgent, a_failed_build_ends_a_trial_of_any_kind) {
  AgentTalk talk;
  talk.start();
  talk.reply(call("time", "{}",
                  "extern \"C\" void kernel(const float* in, float* out, std::size_t n) { }\n"));
  TrialFacts facts;
  facts.build.verdict = Verdict::compile_error;
  facts.build.feedback = R"({"diagnostics":[{"line":3,"message":"no"}]})";
  talk.judged(facts);
  EXPECT_THAT(talk.told(), HasSubstr("k1 does not build."));
  EXPECT_THAT(talk.told(), HasSubstr("line 3:"));
  EXPECT_THAT(talk.told(), HasSubstr("4 timed kernels")) << "nothing was timed";
}

TEST(LlmAgent, equal_replies_and_facts_give_equal_conversations) {
  std::string first;
  for (int i = 0; i < 2; ++i) {
    AgentTalk talk;
    talk.start();
    talk.reply(call("check", "{}",
                    "extern \"C\" void kernel(const float* in, float* out, std::size_t n) { }\n"));
    talk.judged(test::trial_facts(*talk.trial(), Verdict::ok));
    const std::string now = encode(talk.request()->request) + talk.request()->state;
    if (i == 0) first = now;
    EXPECT_EQ(now, first);
  }
}

}  // namespace
}  // namespace ke
