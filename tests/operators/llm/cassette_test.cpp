#include "operators/llm/cassette.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ke {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Exchange exchange(const std::string& prompt, const std::string& reply) {
  Exchange made;
  made.key = sha256(prompt);
  made.request.model = "m";
  made.request.messages = {{"system", "rules"}, {"user", prompt}};
  made.request.settings = {{"prompt", "draft@1"}};
  made.status = "ok";
  made.reply = reply;
  made.input_tokens = 12;
  made.dollars = 0.1;
  return made;
}

TEST(Cassette, a_line_holds_the_whole_exchange) {
  const Exchange before = exchange("one\ntwo \"three\"", "```\ncode\n```\n");
  const std::string line = cassette_line(before);
  EXPECT_EQ(line.find('\n'), line.npos);
  const auto after = read_cassette_line(line);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->request.messages[1].text, "one\ntwo \"three\"");
  EXPECT_EQ(after->reply, before.reply);
  EXPECT_EQ(after->request.settings.at("prompt"), "draft@1");
  EXPECT_EQ(after->dollars, 0.1);
}

TEST(Cassette, a_line_that_was_edited_is_refused) {
  std::string line = cassette_line(exchange("one", "slow kernel"));
  line.replace(line.find("slow"), 4, "fast");
  const auto read = read_cassette_line(line);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("it was changed"));
  EXPECT_FALSE(read_cassette_line("{}"));
  EXPECT_FALSE(read_cassette_line("nonsense"));
}

TEST(Cassette, a_miss_names_the_nearest_and_the_first_line_that_differs) {
  std::map<Digest, Exchange> cassette;
  for (const char* prompt : {"a\nb\nc", "a\nx\nc"}) {
    const Exchange one = exchange(prompt, "r");
    cassette.emplace(one.key, one);
  }
  const std::string text = nearest_exchange(cassette, exchange("a\nb\nd", "").request);
  EXPECT_THAT(text, HasSubstr(sha256("a\nb\nc").short_hex()));
  EXPECT_THAT(text, HasSubstr("differs from line 4 on: 'c' instead of 'd'"));
  EXPECT_THAT(nearest_exchange(cassette, exchange("a\nb\nc", "").request),
              HasSubstr("another slot or seed"));
  EXPECT_EQ(nearest_exchange({}, {}), "the cassette is empty");
}

TEST(Cassette, secrets_are_found_by_their_shape) {
  EXPECT_THAT(secrets_in("key sk-proj-abcdefghijklmnopqrstuvwx."), ElementsAre("API key (sk-...)"));
  EXPECT_THAT(secrets_in("Authorization: Bearer abcdefghijklmnopqrstuvwx"),
              ElementsAre("bearer token"));
  EXPECT_THAT(secrets_in("a risk-free task-list, disk-based; AKIA; Bearer of news"), IsEmpty());
}

}  // namespace
}  // namespace ke
