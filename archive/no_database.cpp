// Stands in for archive/postgres where libpqxx was missing when the build was configured.

#include "archive/shared_run.hpp"

namespace ke {

std::string database_missing() {
  return "this build has no client of PostgreSQL: install libpqxx-dev and configure it again";
}

Result<std::unique_ptr<SharedRun>> open_shared_run(const std::string&, const std::string&,
                                                   std::chrono::milliseconds, const DatabaseWait&) {
  return Error{Failure::usage, database_missing()};
}

Result<std::unique_ptr<WorkBoard>> open_work_board(const std::string&, const DatabaseWait&) {
  return Error{Failure::usage, database_missing()};
}

}  // namespace ke
