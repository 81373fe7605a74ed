#pragma once
// Rows of the database: RunHeader as columns of table `run`, and facts that another host encoded,
// which are data, whatever they hold.

#include <string_view>

#include "archive/postgres/connection.hpp"
#include "core/evaluation.hpp"
#include "core/history.hpp"

namespace ke::postgres {

/// Decodes the fact of a row. Bytes that are no fact, or the fact of another key, give a `lost` one
/// with the reason `damaged`, so that the search goes on without the candidate.
Fact stored_fact(const Digest& key, std::string_view bytes);

/// Reads the header from a row that has all of these columns.
RunHeader header_in(const pqxx::row& row);

/// Reads the header of a run; nothing if the run has not begun.
std::optional<RunHeader> read_header(Sql& sql, std::int64_t run);

/// Writes the header of a new run. Error if a different header is stored already.
void put_header(Sql& sql, std::int64_t run, const RunHeader& header);

}  // namespace ke::postgres
