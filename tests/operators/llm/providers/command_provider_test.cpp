#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using namespace test;

Node program(const std::string& script, std::map<std::string, std::string> more = {}) {
  std::map<std::string, Node> values{{"kind", scalar("command")},
                                     {"program", list({"sh", "-c", script})}};
  for (const auto& [name, value] : more) values[name] = scalar(value);
  return options(values);
}

Exchange answer(const std::string& script, const std::map<std::string, std::string>& more = {}) {
  return ask(*client_of(program(script, more)), asking("hello"));
}

TEST(CommandProvider, gives_the_program_the_request_as_json_and_takes_its_output) {
  LlmRequest request = asking("say \"hi\"");
  request.model = "m";
  request.max_output_tokens = 7;
  request.settings["seed"] = "3";
  const Exchange exchange = ask(*client_of(program("cat")), request);
  EXPECT_EQ(exchange.status, "ok");
  EXPECT_EQ(exchange.reply, "{\"key\":\"" + digest_of(request).hex() +
                                "\",\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"text\":"
                                "\"say \\\"hi\\\"\"}],\"max_output_tokens\":7,\"settings\":{"
                                "\"seed\":\"3\"}}");
}

TEST(CommandProvider, reads_tokens_and_model_of_a_json_reply) {
  const Exchange exchange =
      answer(R"(echo '{"reply": "yes", "model": "x-1", "tokens": {"input": 5, "output": 2,
                        "cached": 3, "reasoning": 1}}')",
             {{"reply", "json"}});
  EXPECT_EQ(exchange.status, "ok");
  EXPECT_EQ(exchange.reply, "yes");
  EXPECT_EQ(exchange.model_returned, "x-1");
  EXPECT_EQ(exchange.input_tokens, 5);
  EXPECT_EQ(exchange.output_tokens, 2);
  EXPECT_EQ(exchange.cached_tokens, 3);
  EXPECT_EQ(exchange.reasoning_tokens, 1);
}

TEST(CommandProvider, tells_failures_apart) {
  EXPECT_EQ(answer("echo half; exit 3").status, "program_failed");
  EXPECT_EQ(answer("kill -9 $$").status, "program_failed");
  EXPECT_EQ(answer("echo").status, "empty");
  EXPECT_EQ(answer("echo '{\"reply\": 3}'", {{"reply", "json"}}).status, "bad_reply");
  EXPECT_EQ(answer("echo '{\"reply\": \"cut'", {{"reply", "json"}}).status, "bad_reply");
  EXPECT_EQ(answer("yes | head -c 5000000").status, "bad_reply");
  EXPECT_EQ(answer("sleep 60 & sleep 60", {{"deadline", "50ms"}}).status, "timeout");
  EXPECT_EQ(answer(R"(echo '{"status": "refused"}')", {{"reply", "json"}}).status, "refused");
}

TEST(CommandProvider, a_helper_that_outlives_the_program_does_not_delay_the_reply) {
  const auto start = steady_clock::now();
  EXPECT_EQ(answer("sleep 60 & echo done").reply, "done\n");
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(CommandProvider, a_program_that_is_not_there_is_an_error_at_once) {
  const auto client = client_of(
      options({{"kind", scalar("command")}, {"program", scalar("/nowhere/ke-no-such-program")}}));
  const auto submitted = client->submit(Digest{}, asking("x"));
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().message,
            "program '/nowhere/ke-no-such-program' cannot be started: No such file or directory");
}

TEST(CommandProvider, poll_does_not_wait_longer_than_asked) {
  const auto client = client_of(program("sleep 60"));
  ASSERT_TRUE(client->submit(Digest{}, asking("x")));
  const auto start = steady_clock::now();
  EXPECT_TRUE(client->poll(milliseconds(0)).empty());
  EXPECT_TRUE(client->poll(milliseconds(30)).empty());
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(CommandProvider, a_large_request_reaches_the_program_whole) {
  const auto client = client_of(program("wc -c"));
  const Exchange exchange = ask(*client, asking(std::string(1'000'000, 'x')));
  EXPECT_GT(std::stol(exchange.reply), 1'000'000);
}

TEST(CommandProvider, runs_no_more_programs_at_once_than_it_may) {
  const TemporaryFolder folder;
  const std::string script =
      "cd " + folder.text() + "; touch r.$$; ls r.* | wc -l; sleep 0.02; rm r.$$; cat >/dev/null";
  const auto client = client_of(program(script, {{"concurrency", "3"}}));
  for (int i = 0; i < 12; ++i) {
    const LlmRequest request = asking(std::to_string(i));
    ASSERT_TRUE(client->submit(digest_of(request), request));
  }
  for (const Exchange& exchange : answers_of(*client, 12)) EXPECT_LE(std::stol(exchange.reply), 3);
}

TEST(CommandProvider, needs_a_program) {
  const Node node = options({{"kind", scalar("command")}});
  ParamLog log;
  Params params(&node, "llm", log);
  make_llm_client(params, {});
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_NE(log.errors[0].find("is missing"), std::string::npos);
}

}  // namespace
}  // namespace ke
