// Runs whose operators ask a language model that answers normally, late, twice or never.

#include <nlohmann/json.hpp>

#include "tests/experiments/shell.hpp"

namespace ke {
namespace {

using test::Shell;
using ::testing::HasSubstr;

using Json = nlohmann::json;

/// One row of what `check CONFIG --json` says of language models.
Json forecast_in(const std::string& answer, const char* row) {
  return Json::parse(answer.substr(answer.find('{')))["language_model"][row];
}

const std::string model = std::string(KE_SOURCE_DIR) + "/tests/support/answer_prompts.py";

std::string config(const std::string& provider) {
  return "task: conformance/axpb\nbudget: {proposals: 10}\nislands: {count: 2, lag: 2}\n"
         "operators: {llm_draft: 2, llm_mutation: 4, llm_repair: 2, llm_crossover: 1}\n"
         "llm: " +
         provider + "\nverify: {cells: 0}\ndevice: cpu\n";
}

TEST_F(Shell, a_program_answers_for_the_model_and_the_run_replays_without_it) {
  write("model.sh", "exec " + model + "\n");
  write("l.yaml", config("{kind: command, program: [sh, model.sh]}"));
  ASSERT_EQ(call("run l.yaml -q -o runs"), 0) << output_;
  ASSERT_EQ(
      call("!sqlite3 runs/l.axpb.s1.kev \"SELECT count(*) FROM exchange WHERE status = 'ok'\""), 0);
  const int asked_in_all = std::stoi(output_);
  EXPECT_GE(asked_in_all, 4);
  int asked = 0;
  for (int step = 0; step < 5; ++step) {
    const int code = call("show prompt runs/l.axpb.s1.kev " + std::to_string(step));
    asked += code == 0 ? 1 : 0;
    if (code != 0) continue;
    EXPECT_THAT(output_, HasSubstr("=== system, "));
    EXPECT_THAT(output_, HasSubstr("=== reply (ok"));
  }
  EXPECT_GT(asked, 0);
  ASSERT_EQ(call("!rm model.sh"), 0);
  EXPECT_EQ(call("verify --replay runs"), 0) << output_;
  ASSERT_EQ(call("show runs --json"), 0) << output_;
  const double evaluations = Json::parse(output_)["runs"][0]["evaluations"];
  ASSERT_EQ(call("check l.yaml --json --earlier runs budget.proposals=20"), 0) << output_;
  EXPECT_NEAR(forecast_in(output_, "expected")["requests"].get<double>(),
              asked_in_all * 20 / evaluations, 1e-9);
}

TEST_F(Shell, a_cassette_answers_what_it_holds_and_names_the_nearest_of_what_it_lacks) {
  write("l.yaml", config("{kind: command, program: [" + model + "]}"));
  ASSERT_EQ(call("run l.yaml -q -o runs"), 0) << output_;
  ASSERT_EQ(call("cassette export runs/l.axpb.s1.kev -o c.jsonl"), 0) << output_;
  EXPECT_EQ(call("cassette verify c.jsonl"), 0) << output_;
  EXPECT_EQ(call("cassette verify runs/l.axpb.s1.kev"), 0) << output_;
  // Drafts precede all timings, so their prompts are the same in every run.
  write("d.yaml",
        "task: conformance/axpb\nbudget: {proposals: 4}\nislands: {count: 1}\nverify: {cells: 0}\n"
        "operators: {llm_draft: 1}\nllm: {kind: command, program: [" +
            model + "]}\n");
  ASSERT_EQ(call("run d.yaml -q -o first"), 0) << output_;
  ASSERT_EQ(call("cassette export first -o d.jsonl"), 0) << output_;
  EXPECT_EQ(call("run d.yaml -q -o other seed=2 'llm={kind: cassette, file: d.jsonl}'"), 6);
  EXPECT_THAT(output_, HasSubstr("replay miss: no recorded exchange"));
  ASSERT_EQ(call("!sed -i s/Loop/Lie/ d.jsonl; sed -i s/One/Two/ d.jsonl"), 0);
  EXPECT_EQ(call("cassette verify d.jsonl"), 1);
  EXPECT_THAT(output_, HasSubstr("it was changed"));
}

TEST_F(Shell, a_mailbox_is_answered_late_twice_and_while_nobody_waits) {
  write("l.yaml", config("{kind: mailbox, folder: letters}"));
  ASSERT_EQ(call("!(" KE_BINARY_DIR "/kernelevolve run l.yaml -q -o runs & pid=$!; n=0; "
                 "until ls runs/letters/*.request.json >/dev/null 2>&1 || [ $n = 600 ]; do "
                 "sleep 0.1; n=$((n + 1)); done; kill -9 $pid; wait $pid) 2>/dev/null; "
                 "ls runs/letters/*.request.json"),
            0)
      << output_;
  ASSERT_EQ(call("!" + model + " --mailbox runs/letters 2"), 0) << output_;
  ASSERT_EQ(call("!" + model +
                 " --mailbox runs/letters 200 & " KE_BINARY_DIR
                 "/kernelevolve resume runs -q; code=$?; kill $!; exit $code"),
            0)
      << output_;
  EXPECT_EQ(call("verify --replay runs"), 0) << output_;
}

TEST_F(Shell, a_model_without_credit_ends_the_run_with_5_and_is_asked_again) {
  write("empty", "");
  write("l.yaml", config("{kind: command, reply: json, program: [" + model + ", --refuse, " +
                         folder_ + "/empty]}"));
  EXPECT_EQ(call("run l.yaml -q -o runs"), 5);
  EXPECT_THAT(output_, HasSubstr("no credit is left"));
  ASSERT_EQ(call("!rm empty && sqlite3 runs/l.axpb.s1.kev 'SELECT count(*) FROM exchange'"), 0);
  EXPECT_EQ(output_, "0\n");
  EXPECT_EQ(call("resume runs -q"), 0) << output_;
  EXPECT_EQ(call("verify --replay runs"), 0) << output_;
}

TEST_F(Shell, an_operator_that_asks_needs_somebody_who_answers) {
  write("l.yaml", "task: softmax\noperators: {llm_mutation: 1}\n");
  EXPECT_EQ(call("check l.yaml"), 2);
  EXPECT_THAT(output_, HasSubstr("'llm' is missing; operators.llm_mutation asks a language model"));
}

TEST_F(Shell, check_says_what_models_will_take) {
  write("l.yaml",
        "task: conformance/axpb\nseed: 1..3\nbudget: {evaluations: 8, proposals: 10}\n"
        "islands: {count: 1}\ndevice: cpu\nverify: {cells: 0}\n"
        "operators: {knob_step: 1, llm_draft: {weight: 1, max_output_tokens: 8000, retries: 2}}\n"
        "llm: {kind: http, base_url: 'http://127.0.0.1:9/v1', model: m, price: given, "
        "price_input: 1, price_output: 10}\n");
  ASSERT_EQ(call("check l.yaml --json"), 0) << output_;
  // Three runs of eight evaluations, of which every second one is the model's.
  const auto least = forecast_in(output_, "least"), expected = forecast_in(output_, "expected");
  EXPECT_EQ(least["requests"], 12.0);
  EXPECT_EQ(expected["requests"], 12.0);
  EXPECT_EQ(expected["output_tokens"], 12 * 1000.0);  // an eighth of 8000 each
  EXPECT_NEAR(expected["dollars"].get<double>(),
              (expected["input_tokens"].get<double>() + 10 * 12000) / 1e6, 1e-9);
  // Three runs of ten proposals, each asked three times for 8000 tokens.
  const auto most = forecast_in(output_, "most");
  EXPECT_EQ(most["requests"], 90.0);
  EXPECT_EQ(most["output_tokens"], 90 * 8000.0);
  ASSERT_EQ(call("check l.yaml --json llm.budget.dollars=0.01"), 0) << output_;
  EXPECT_NEAR(forecast_in(output_, "most")["dollars"].get<double>(), 0.03, 1e-9);
  EXPECT_EQ(call("check l.yaml --earlier ."), 7) << output_;
}

}  // namespace
}  // namespace ke
