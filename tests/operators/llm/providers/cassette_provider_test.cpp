#include <gmock/gmock.h>

#include "operators/llm/cassette.hpp"
#include "tests/operators/llm/client_kit.hpp"

namespace ke {
namespace {

using namespace test;
using testing::HasSubstr;

Exchange recorded(const std::string& prompt) {
  Exchange exchange;
  exchange.request = asking(prompt);
  exchange.key = digest_of(exchange.request);
  exchange.status = "ok";
  exchange.reply = "recorded";
  exchange.output_tokens = 5;
  return exchange;
}

/// A cassette that holds the prompt "known", with these additional options.
struct Recorded {
  explicit Recorded(std::map<std::string, Node> more = {}) {
    folder.write("c.jsonl", cassette_line(recorded("known")) + "\n");
    more["kind"] = scalar("cassette");
    more["file"] = scalar(folder.file("c.jsonl"));
    client = client_of(options(more));
  }
  TemporaryFolder folder;
  std::unique_ptr<LlmClient> client;
};

TEST(CassetteProvider, replays_what_it_holds_and_refuses_the_rest) {
  Recorded cassette;
  const Exchange answer = ask(*cassette.client, asking("known"));
  EXPECT_EQ(answer.reply, "recorded");
  EXPECT_EQ(answer.output_tokens, 5);
  const auto missed = cassette.client->submit(sha256("other"), asking("other"));
  ASSERT_FALSE(missed);
  EXPECT_EQ(missed.error().failure, Failure::replay_miss);
  EXPECT_THAT(missed.error().message, HasSubstr("'known' instead of 'other'"));
}

TEST(CassetteProvider, asks_another_provider_for_what_it_lacks_and_only_for_that) {
  TemporaryFolder calls;
  const std::string program = "echo call >> " + calls.file("log") + "; echo live";
  Recorded cassette(
      {{"otherwise.kind", scalar("command")}, {"otherwise.program", list({"sh", "-c", program})}});
  EXPECT_EQ(ask(*cassette.client, asking("known")).reply, "recorded");
  EXPECT_FALSE(calls.has("log"));
  EXPECT_EQ(ask(*cassette.client, asking("new")).reply, "live\n");
  EXPECT_EQ(calls.read("log"), "call\n");
}

}  // namespace
}  // namespace ke
