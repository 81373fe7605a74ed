// The in-memory fakes pass the suites that every implementation passes.

#include "core/memory/memory_knowledge_index.hpp"
#include "tests/conformance/fact_log_suite.hpp"
#include "tests/conformance/history_suite.hpp"
#include "tests/conformance/knowledge_suite.hpp"
#include "tests/conformance/work_queue_suite.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"
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
  MemoryKnowledgeIndex knowledge_;
  MemoryWorkQueue queue_{most_attempts};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, HistorySuite, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, FactLogSuite, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, KnowledgeSuite, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, WorkQueueSuite, InMemory);

}  // namespace
}  // namespace ke::test
