// A build without a client of PostgreSQL says so wherever one is needed.

#include <gtest/gtest.h>

#include "archive/shared_run.hpp"

namespace ke {
namespace {

TEST(NoDatabase, coordinators_and_workers_are_told_what_to_install) {
  const auto run = open_shared_run("postgresql://host/db", "run", {}, {});
  const auto board = open_work_board("postgresql://host/db", {});
  ASSERT_FALSE(run);
  ASSERT_FALSE(board);
  EXPECT_EQ(run.error().failure, Failure::usage);
  EXPECT_EQ(run.error().message, board.error().message);
  EXPECT_NE(run.error().message.find("libpqxx-dev"), std::string::npos);
  EXPECT_EQ(run.error().message, database_missing());
}

}  // namespace
}  // namespace ke
