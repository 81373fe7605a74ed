// The stores in PostgreSQL pass the suites that every implementation passes.

#include "tests/conformance/fact_log_suite.hpp"
#include "tests/conformance/history_suite.hpp"
#include "tests/conformance/work_queue_suite.hpp"
#include "tests/postgres/database_run.hpp"

namespace ke::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, HistorySuite, DatabaseRun);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, FactLogSuite, DatabaseRun);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, WorkQueueSuite, DatabaseRun);

}  // namespace
}  // namespace ke::test
