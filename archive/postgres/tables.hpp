#pragma once
// Makes the tables of a database where there are none.

#include "archive/postgres/connection.hpp"

namespace ke::postgres {

/// Error when there are none and this user may not make them.
Result<void> make_tables(Connection& connection);

}  // namespace ke::postgres
