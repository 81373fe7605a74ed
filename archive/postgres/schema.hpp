#pragma once
// The tables of a database of runs.

namespace ke::postgres {

/// Text of schema.sql.
const char* schema_sql();

}  // namespace ke::postgres
