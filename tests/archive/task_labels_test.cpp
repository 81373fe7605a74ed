// Texts of a run file about its task, beyond the name and the hash that identify it.

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <map>

#include "archive/run_reader.hpp"
#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {
namespace {

using Labels = std::map<std::string, std::string>;

Labels labels_of(const TemporaryRun& run) {
  const auto reader = RunReader::open(run.path());
  EXPECT_TRUE(reader) << reader.error().message;
  return *(*reader)->task_labels();
}

TEST(TaskLabels, are_those_of_the_last_session_without_empty_ones) {
  TemporaryRun run;
  ASSERT_TRUE(run.history().begin(sample_header()));
  ASSERT_TRUE(run.store().describe_task({{"licence", "MIT"}, {"category", "level 1"}}));
  ASSERT_TRUE(run.store().describe_task({{"licence", "Apache-2.0"}, {"source", ""}}));
  EXPECT_EQ(labels_of(run), (Labels{{"licence", "Apache-2.0"}}));
}

TEST(TaskLabels, are_none_in_a_file_from_before_they_were_recorded) {
  TemporaryRun run;
  ASSERT_TRUE(run.history().begin(sample_header()));
  run.close();
  SQLite::Database(run.path(), SQLite::OPEN_READWRITE).exec("DROP TABLE task_label");
  EXPECT_EQ(labels_of(run), Labels{});
  run.open();  // opening for writing adds the table
  ASSERT_TRUE(run.store().describe_task({{"op_type", "softmax"}}));
  EXPECT_EQ(labels_of(run), (Labels{{"op_type", "softmax"}}));
}

}  // namespace
}  // namespace ke::test
