#include "archive/postgres/tables.hpp"

#include "archive/postgres/schema.hpp"

namespace ke::postgres {

Result<void> make_tables(Connection& connection) {
  const auto made = connection.transact([](Sql& sql) {
    const auto has_tables = [&] {
      return !sql.script("SELECT to_regclass('public.run')")[0][0].is_null();
    };
    if (has_tables()) return;
    sql.script("SELECT pg_advisory_xact_lock(hashtextextended('kernelevolve tables', 0))");
    if (!has_tables()) sql.script(schema_sql());  // else somebody was faster
  });
  if (made) return {};
  return Error{Failure::store,
               made.error().message + "; its owner makes the tables: psql -f schema.sql"};
}

}  // namespace ke::postgres
