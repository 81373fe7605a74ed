#include <gtest/gtest.h>

#include "tests/conformance/llm_client_conformance.hpp"
#include "tests/support/memory_llm_client.hpp"

namespace ke {
namespace {

Exchange echo(const LlmRequest& request) {
  Exchange exchange;
  exchange.status = "ok";
  exchange.reply = request.messages.front().text;
  return exchange;
}

INSTANTIATE_TEST_SUITE_P(Memory, LlmClientConformance,
                         testing::Values(LlmClientCase{
                             "echo", [] { return std::make_unique<MemoryLlmClient>(echo); }}),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace ke
