// The in-memory fakes pass the suites that every implementation passes.

#include "core/knowledge_index.hpp"
#include "tests/conformance/fact_log_suite.hpp"
#include "tests/conformance/history_suite.hpp"
#include "tests/conformance/knowledge_suite.hpp"
#include "tests/conformance/llm_client_conformance.hpp"
#include "tests/conformance/work_queue_suite.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"
#include "tests/support/memory_llm_client.hpp"
#include "tests/support/memory_work_queue.hpp"

namespace ke::test {
namespace {

struct InMemory {
  static constexpr int most_attempts = 3;
  History& history() { return history_; }
  FactLog& facts() { return facts_; }
  KnowledgeIndex& knowledge() { return knowledge_; }
  WorkQueue& queue() { return queue_; }
  void reopen() {}  // nothing to close

  MemoryHistory history_;
  MemoryFactLog facts_;
  KnowledgeIndex knowledge_;
  MemoryWorkQueue queue_{most_attempts};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, HistorySuite, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, FactLogSuite, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, KnowledgeSuite, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, WorkQueueSuite, InMemory);

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
}  // namespace ke::test
