#pragma once
// RunHeader as columns of table `run`.

#include "archive/postgres/connection.hpp"
#include "core/history.hpp"

namespace ke::postgres {

/// Reads the header from a row that has all of these columns.
RunHeader header_in(const pqxx::row& row);

/// Nothing while the run has not begun.
std::optional<RunHeader> read_header(Sql& sql, std::int64_t run);

/// Writes the header of a new run; refuses one that differs from that which is there.
void put_header(Sql& sql, std::int64_t run, const RunHeader& header);

}  // namespace ke::postgres
