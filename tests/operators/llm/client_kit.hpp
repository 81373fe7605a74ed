#pragma once
// Shared helpers for tests of language-model clients.

#include <gtest/gtest.h>

#include "operators/llm/providers/registry.hpp"
#include "tests/support/options.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke::test {

inline std::unique_ptr<LlmClient> client_of(const Node& node, const LlmWorld& world = {}) {
  ParamLog log;
  Params params(&node, "llm", log);
  auto client = make_llm_client(params, world);
  log.report_unknown();
  EXPECT_TRUE(log.errors.empty()) << log.errors.front();
  return client;
}

inline LlmRequest asking(const std::string& text) {
  LlmRequest request;
  request.messages = {{"user", text}};
  return request;
}

/// Polls until `count` answers have arrived, at most 20 s.
inline std::vector<Exchange> answers_of(LlmClient& client, std::size_t count) {
  std::vector<Exchange> all;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (all.size() < count && std::chrono::steady_clock::now() < deadline) {
    for (Exchange& exchange : client.poll(std::chrono::milliseconds(20))) {
      all.push_back(std::move(exchange));
    }
  }
  EXPECT_EQ(all.size(), count);
  return all;
}

/// Answer to one request.
inline Exchange ask(LlmClient& client, const LlmRequest& request) {
  const auto submitted = client.submit(digest_of(request), request);
  EXPECT_TRUE(submitted) << submitted.error().message;
  auto answers = answers_of(client, 1);
  return answers.empty() ? Exchange{} : answers.front();
}

}  // namespace ke::test
