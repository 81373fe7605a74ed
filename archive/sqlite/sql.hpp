#pragma once
// Cached prepared statements on one connection. Only for archive/, since it exposes SQLite. Throws
// SQLite::Exception and Refusal; `guarded` converts both to Error at the module's boundary.

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/candidate.hpp"
#include "core/hash.hpp"
#include "core/result.hpp"

namespace ke::sqlite {

/// Row ids that a connection has written or read, so that repeated references to a kernel, build or
/// candidate need no query. A key missing here may still be in the file. A rollback clears them,
/// since the rows may be gone.
template <typename Key, typename Hash = std::hash<Key>>
class RowIds {
 public:
  std::optional<std::int64_t> find(const Key& key) const {
    const auto found = ids_.find(key);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }
  void keep(const Key& key, std::int64_t id) {
    if (ids_.size() == most) ids_.clear();
    ids_.emplace(key, id);
  }

 private:
  static constexpr std::size_t most = 1 << 16;  ///< a few megabytes
  std::unordered_map<Key, std::int64_t, Hash> ids_;
};

struct KnownRows {
  RowIds<Digest> sources;
  RowIds<Digest> notes;
  RowIds<Digest> genomes;
  RowIds<Digest> builds;
  RowIds<LogicalId, HashLogicalId> candidates;
};

/// An environment failure found inside archive/sqlite.
struct Refusal : std::exception {
  explicit Refusal(Error e) : error(std::move(e)) {}
  const char* what() const noexcept override { return error.message.c_str(); }
  Error error;
};

[[noreturn]] void refuse(std::string message);

/// A one-line error for a SQLite exception about `file`.
Error translate(const SQLite::Exception& exception, const std::string& file);

/// A float64 as stored in the ANY columns of schema.sql, bit for bit.
struct Real {
  double value;
};
/// A list of int64 as a little-endian blob.
struct Nanoseconds {
  const std::vector<std::int64_t>& list;
};

class Row {
 public:
  explicit Row(SQLite::Statement& statement) : statement_(statement) {}
  std::int64_t integer(int column) const { return statement_.getColumn(column).getInt64(); }
  std::string text(int column) const { return statement_.getColumn(column).getString(); }
  bool null(int column) const { return statement_.isColumnNull(column); }
  std::optional<std::int64_t> maybe(int column) const;
  double real(int column) const;
  Digest digest(int column) const;  ///< zero for NULL
  /// Step, island and slot in three columns from `column` on.
  LogicalId id(int column) const {
    return {integer(column), integer(column + 1), integer(column + 2)};
  }
  std::vector<std::int64_t> nanoseconds(int column) const;

 private:
  SQLite::Statement& statement_;
};

class Sql {
 public:
  explicit Sql(std::unique_ptr<SQLite::Database> database) : database_(std::move(database)) {}

  /// Runs a statement without a result. `text` must be a literal: its address is the cache key.
  template <typename... Args>
  void run(const char* text, const Args&... args) {
    Use use(prepared(text), args...);
    while (use.statement.executeStep()) {
    }
  }
  /// Calls `f(Row)` for each row.
  template <typename F, typename... Args>
  void each(const char* text, F&& f, const Args&... args) {
    Use use(prepared(text), args...);
    while (use.statement.executeStep()) f(Row(use.statement));
  }
  /// `f(Row)` of each row.
  template <typename F, typename... Args>
  auto list(const char* text, F&& f, const Args&... args) {
    std::vector<std::invoke_result_t<F&, Row>> values;
    each(
        text, [&](const Row& row) { values.push_back(f(row)); }, args...);
    return values;
  }
  /// `f(Row)` of the last row; nothing if there is none.
  template <typename F, typename... Args>
  auto last(const char* text, F&& f, const Args&... args) {
    std::optional<std::invoke_result_t<F&, Row>> value;
    each(
        text, [&](const Row& row) { value = f(row); }, args...);
    return value;
  }
  /// Whether the file has a table; files of older versions lack some.
  bool has_table(std::string_view name) {
    return find("SELECT 1 FROM sqlite_schema WHERE name = ?", name).has_value();
  }
  /// First column of the first row.
  template <typename... Args>
  std::optional<std::int64_t> find(const char* text, const Args&... args) {
    Use use(prepared(text), args...);
    if (!use.statement.executeStep()) return std::nullopt;
    return Row(use.statement).maybe(0);
  }
  /// Inserts all `rows`, many per statement. `text` is a literal that ends before the first row's
  /// parenthesis; `values_of(row)` returns the row's values as a tuple.
  template <typename Rows, typename F>
  void insert(const char* text, const Rows& rows, F&& values_of) {
    using Values = decltype(values_of(*rows.begin()));
    std::size_t left = rows.size();
    for (auto row = rows.begin(); left > 0;) {
      const std::size_t count = std::min(left, most_rows);
      Use use(prepared(text, std::tuple_size_v<Values>, count));
      int index = 0;
      const auto bind_all = [&](const auto&... values) {
        (bind(use.statement, ++index, values), ...);
      };
      for (std::size_t i = 0; i < count; ++i) std::apply(bind_all, values_of(*row++));
      use.statement.executeStep();
      left -= count;
    }
  }
  std::int64_t last_id() const { return database_->getLastInsertRowid(); }
  SQLite::Database& database() { return *database_; }
  KnownRows& known() { return known_; }

 private:
  static constexpr std::size_t most_rows = 32;  ///< rows per statement

  // Binds on entry and resets on every exit, so that no read transaction stays open.
  struct Use {
    template <typename... Args>
    explicit Use(SQLite::Statement& s, const Args&... args) : statement(s) {
      int index = 0;
      (bind(s, ++index, args), ...);
    }
    ~Use() { statement.tryReset(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    SQLite::Statement& statement;
  };

  static void bind(SQLite::Statement& s, int i, std::int64_t v) { s.bind(i, v); }
  static void bind(SQLite::Statement& s, int i, const std::string& v) { s.bindNoCopy(i, v); }
  static void bind(SQLite::Statement& s, int i, std::string_view v) { s.bind(i, std::string(v)); }
  static void bind(SQLite::Statement& s, int i, const Digest& v);
  static void bind(SQLite::Statement& s, int i, Real v);
  static void bind(SQLite::Statement& s, int i, Nanoseconds v);
  template <typename T>
  static void bind(SQLite::Statement& s, int i, const std::optional<T>& v) {
    if (v) {
      bind(s, i, *v);
    } else {
      s.bind(i);
    }
  }
  SQLite::Statement& prepared(const char* text);
  SQLite::Statement& prepared(const char* text, std::size_t columns, std::size_t rows);

  std::unique_ptr<SQLite::Database> database_;
  std::unordered_map<const char*, SQLite::Statement> statements_;
  std::map<std::pair<const char*, std::size_t>, SQLite::Statement> row_statements_;
  KnownRows known_;
};

/// A transaction; rolls back unless `commit` returned. All statements of one that begins with
/// "BEGIN" and only reads see the file as of the first one.
class Transaction {
 public:
  explicit Transaction(Sql& sql, const char* begin = "BEGIN IMMEDIATE") : sql_(sql) {
    sql_.run(begin);
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Sql& sql_;
  bool open_ = true;
};

/// Calls `f()`; converts its exceptions to an Error about `file`.
template <typename F>
auto guarded(const std::string& file, F&& f) -> Result<decltype(f())> {
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      return {};
    } else {
      return f();
    }
  } catch (const SQLite::Exception& exception) {
    return translate(exception, file);
  } catch (const Refusal& refusal) {
    Error error = refusal.error;
    error.message = file + ": " + error.message;
    return error;
  }
}

/// The enumerator below `count` whose to_string is `name`; refuses an unknown name.
template <typename E>
E parse_name(std::string_view name, int count) {
  for (int i = 0; i < count; ++i) {
    if (to_string(static_cast<E>(i)) == name) return static_cast<E>(i);
  }
  refuse("damaged: '" + std::string(name) + "' is no known name");
}

}  // namespace ke::sqlite
