#pragma once
// What the parts of a store share: the connection, its name and the session.

#include <functional>
#include <optional>
#include <string>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Provenance of a row. The time is in no hash and decides nothing.
struct Stamp {
  std::optional<std::int64_t> session;
  std::int64_t now_ms = 0;
};

struct StoreFile {
  std::string path;
  std::unique_ptr<Sql> sql;
  std::optional<std::int64_t> session;
  std::function<std::int64_t()> now_ms;

  Stamp stamp() const { return {session, now_ms()}; }

  /// `f(Sql&)` in one transaction, durable when it returns.
  template <typename F>
  Result<void> write(F&& f) {
    return guarded(path, [&] {
      Transaction transaction(*sql);
      f(*sql);
      transaction.commit();
    });
  }
  template <typename F>
  auto read(F&& f) {
    return guarded(path, [&] { return f(*sql); });
  }
};

}  // namespace ke::sqlite
