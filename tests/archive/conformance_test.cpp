// The SQLite store passes the suites that every implementation passes.

#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/fact_log_suite.hpp"
#include "tests/conformance/history_suite.hpp"

namespace ke::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, HistorySuite, TemporaryRun);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, FactLogSuite, TemporaryRun);

INSTANTIATE_TYPED_TEST_SUITE_P(SqliteGrouped, FactLogSuite, TemporaryGroupedRun);

}  // namespace
}  // namespace ke::test
