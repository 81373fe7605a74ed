#pragma once
// Facts about the run's task that decide nothing: where it comes from and how it is grouped.

#include <map>
#include <string>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Replaces all of them; leaves empty values out.
void put_task_labels(Sql& sql, const std::map<std::string, std::string>& labels);

/// Empty in a file from before they were recorded.
std::map<std::string, std::string> read_task_labels(Sql& sql);

}  // namespace ke::sqlite
