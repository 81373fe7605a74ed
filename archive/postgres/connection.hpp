#pragma once
// A connection to PostgreSQL that reconnects after a loss, and statements on it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "archive/shared_run.hpp"
#include "core/codec.hpp"
#include "core/hash.hpp"
#include "core/result.hpp"

namespace ke::postgres {

/// An Error found within a transaction; it rolls the transaction back.
struct Refusal : std::exception {
  explicit Refusal(Error e) : error(std::move(e)) {}
  const char* what() const noexcept override { return error.message.c_str(); }
  Error error;
};

/// A value for a column of type bytea.
struct Bytes {
  std::string_view bytes;
};

/// A value for a column of type text[].
std::string text_array(const std::vector<std::string>& list);

/// The bytes of a column; "" for NULL.
std::string bytes_of(const pqxx::field& field);
Digest digest_in(const pqxx::field& field);

/// Statements within one transaction. Each distinct text is prepared once per connection.
class Sql {
 public:
  Sql(pqxx::connection& connection, pqxx::transaction_base& transaction,
      std::set<const char*>& prepared)
      : connection_(connection), transaction_(transaction), prepared_(prepared) {}

  /// `text` must be a literal: its address identifies the prepared statement.
  template <typename... Args>
  pqxx::result run(const char* text, const Args&... args) {
    return transaction_.exec_prepared(name_of(text), value(args)...);
  }
  /// Decodes the only column of the first row; nothing if there is none. Refuses other bytes:
  /// `damaged` says what they are.
  template <typename T, typename... Args>
  std::optional<T> find(const char* damaged, const char* text, const Args&... args) {
    const auto rows = run(text, args...);
    if (rows.empty()) return std::nullopt;
    Result<T> value = decode<T>(bytes_of(rows[0][0]));
    if (!value) throw Refusal({Failure::store, damaged});
    return *std::move(value);
  }
  /// The number in the only column of the only row.
  template <typename... Args>
  std::int64_t number(const char* text, const Args&... args) {
    return run(text, args...)[0][0].template as<std::int64_t>();
  }
  /// Executes one or more statements without parameters.
  pqxx::result script(const std::string& text) { return transaction_.exec(text); }

 private:
  static pqxx::binarystring value(Bytes v) { return {v.bytes.data(), v.bytes.size()}; }
  static pqxx::binarystring value(const Digest& v) { return {v.bytes.data(), v.bytes.size()}; }
  template <typename T>
  static const T& value(const T& v) {
    return v;
  }
  std::string name_of(const char* text);

  pqxx::connection& connection_;
  pqxx::transaction_base& transaction_;
  std::set<const char*>& prepared_;
};

/// Not thread-safe. A transaction must be harmless when it is executed twice: a connection that
/// breaks during a commit leaves open whether the commit took place, and the transaction is tried
/// again.
class Connection {
 public:
  /// Connects. `url` has any form that libpq takes; time limits that it leaves out get values that
  /// notice a dead server within 20 s. Error when the server cannot be reached now.
  static Result<std::unique_ptr<Connection>> open(const std::string& url, DatabaseWait wait);

  /// Executes `f(Sql&)` in a transaction.
  template <typename F>
  auto transact(F&& f) {
    return retried([&](pqxx::connection& sql) {
      pqxx::work work(sql);
      return committed(work, sql, f);
    });
  }
  /// Executes `f(Sql&)`, which must be one statement, without an explicit transaction: a third of
  /// the round trips.
  template <typename F>
  auto single(F&& f) {
    return retried([&](pqxx::connection& sql) {
      pqxx::nontransaction work(sql);
      return committed(work, sql, f);
    });
  }

  /// Executes `f` now and after each reconnection.
  Result<void> on_connect(std::function<void(Sql&)> f);
  /// Makes `wait` return when `channel`, an identifier, is notified.
  Result<void> listen(const std::string& channel);
  /// Notifies the listeners of a channel. Call it after the commit of the news: within a
  /// transaction, NOTIFY would let only one transaction of the database commit at a time.
  Result<void> notify(const std::string& channel);
  /// Waits for a notification, at most this long; also returns when the connection breaks. True if
  /// one arrived since the last call.
  bool wait(std::chrono::milliseconds time);
  /// Milliseconds since 1970: the server's clock when the connection was made, advanced by this
  /// host's monotonic clock.
  std::chrono::milliseconds now() const;

 private:
  Connection(std::string parameters, DatabaseWait wait)
      : parameters_(std::move(parameters)), wait_(std::move(wait)) {}

  template <typename Work, typename F>
  auto committed(Work& work, pqxx::connection& sql, F& f) {
    Sql statements(sql, work, prepared_);
    if constexpr (std::is_void_v<decltype(f(statements))>) {
      f(statements);
      work.commit();
    } else {
      auto value = f(statements);
      work.commit();
      return value;
    }
  }

  template <typename F>
  auto retried(F&& f) -> Result<decltype(f(std::declval<pqxx::connection&>()))> {
    for (;;) {
      if (auto there = connect(); !there) return there.error();
      try {
        if constexpr (std::is_void_v<decltype(f(*sql_))>) {
          f(*sql_);
          return {};
        } else {
          return f(*sql_);
        }
      } catch (const Refusal& refusal) {
        return refusal.error;
      } catch (const std::exception& exception) {
        if (auto error = final_error(exception)) return *std::move(error);
      }
    }
  }

  /// The error to return, or nothing if another try can help. Drops a broken connection.
  std::optional<Error> final_error(const std::exception& exception);
  Result<void> connect();
  Result<void> connect_once();
  void begin_session();
  void drop();

  std::string parameters_;
  DatabaseWait wait_;
  std::unique_ptr<pqxx::connection> sql_;
  std::unique_ptr<pqxx::errorhandler> quiet_;
  std::vector<std::unique_ptr<pqxx::notification_receiver>> receivers_;
  std::vector<std::string> channels_;
  bool news_ = false;  ///< a notification arrived that `wait` has not reported yet
  std::vector<std::function<void(Sql&)>> hooks_;
  std::set<const char*> prepared_;
  std::chrono::milliseconds clock_offset_{0};  ///< server's clock minus this host's monotonic one
  bool was_connected_ = false;
};

}  // namespace ke::postgres
