#pragma once
// Conformance suite for every language-model client.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>

#include "core/llm_client.hpp"

namespace ke {

/// A new client that answers every request with status "ok" and some reply.
struct LlmClientCase {
  std::string name;
  std::function<std::unique_ptr<LlmClient>()> make;
};

class LlmClientConformance : public testing::TestWithParam<LlmClientCase> {
 protected:
  static LlmRequest request(int number) {
    LlmRequest request;
    request.messages = {{"user", "request " + std::to_string(number)}};
    return request;
  }
  static Digest key(int number) { return digest_of(request(number)); }
  static std::map<Digest, Exchange> collect(LlmClient& client, std::size_t count) {
    std::map<Digest, Exchange> got;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (got.size() < count && std::chrono::steady_clock::now() < deadline) {
      for (Exchange& exchange : client.poll(std::chrono::milliseconds(20))) {
        EXPECT_TRUE(got.emplace(exchange.key, exchange).second) << "an exchange came twice";
      }
    }
    return got;
  }
};

TEST_P(LlmClientConformance, answers_every_request_once_with_the_request_beside_it) {
  const auto client = GetParam().make();
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(client->submit(key(i), request(i)));
  const auto got = collect(*client, 12);
  ASSERT_EQ(got.size(), 12u);
  for (int i = 0; i < 12; ++i) {
    const Exchange& exchange = got.at(key(i));
    EXPECT_EQ(exchange.status, "ok");
    EXPECT_EQ(encode(exchange.request), encode(request(i)));
  }
  EXPECT_TRUE(client->poll(std::chrono::milliseconds(30)).empty());
}

TEST_P(LlmClientConformance, a_key_in_flight_is_joined_and_a_cancelled_one_gives_nothing) {
  const auto client = GetParam().make();
  ASSERT_TRUE(client->submit(key(1), request(1)));
  ASSERT_TRUE(client->submit(key(1), request(1)));
  ASSERT_TRUE(client->submit(key(2), request(2)));
  client->cancel(key(2));
  client->cancel(key(77));
  const auto got = collect(*client, 1);
  EXPECT_EQ(got.size(), 1u);
  EXPECT_TRUE(got.contains(key(1)));
}

TEST_P(LlmClientConformance, poll_without_requests_returns) {
  EXPECT_TRUE(GetParam().make()->poll(std::chrono::milliseconds(1)).empty());
}

}  // namespace ke
