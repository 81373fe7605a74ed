#include "archive/postgres/connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "core/text.hpp"

namespace ke::postgres {
namespace {

// Detects addresses of poolers that give each transaction another server session.

using Link = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using Answer = std::unique_ptr<PGresult, void (*)(PGresult*)>;
using Clock = std::chrono::steady_clock;

/// Waits for the answer to a sent statement; false when none comes in time.
bool is_answered(PGconn* link) {
  const auto until = Clock::now() + std::chrono::seconds(3);
  while (PQisBusy(link) != 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd socket{PQsocket(link), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&socket, 1, static_cast<int>(left.count())) <= 0) return false;
    if (PQconsumeInput(link) == 0) return false;
  }
  return true;
}

/// The process id of the server session that runs `statement`, the last of which selects it; 0 when
/// that is not known.
int session_of(PGconn* link, const char* statement) {
  if (PQsendQuery(link, statement) == 0) return 0;
  int session = 0;
  for (;;) {
    if (!is_answered(link)) return 0;
    const Answer answer(PQgetResult(link), &PQclear);
    if (!answer) return session;
    if (PQresultStatus(answer.get()) == PGRES_TUPLES_OK) {
      session = std::atoi(PQgetvalue(answer.get(), 0, 0));
    }
  }
}

Link connect(const std::string& parameters) { return {PQconnectdb(parameters.c_str()), &PQfinish}; }

/// Whether two transactions of one connection can land in different sessions of the server, as with
/// PgBouncer's pool_mode = transaction. Opens two connections for a moment. False when that cannot
/// be found out within a few seconds.
bool pools_by_transaction(const std::string& parameters) {
  const Link first = connect(parameters);
  const Link second = connect(parameters);
  const int session = session_of(first.get(), "SELECT pg_backend_pid()");
  if (session == 0) return false;
  // The second connection is given the session of the first one, or keeps it from returning there.
  const int other = session_of(second.get(), "BEGIN; SELECT pg_backend_pid()");
  if (other == 0 || other == session) return other == session;
  const int again = session_of(first.get(), "SELECT pg_backend_pid()");
  return again != 0 && again != session;
}

using std::chrono::milliseconds;

constexpr milliseconds first_pause(100);
constexpr milliseconds longest_pause(5000);

/// Defaults for libpq where the address says nothing.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> defaults = {{
    {"connect_timeout", "5"},
    {"keepalives_idle", "5"},
    {"keepalives_interval", "5"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "10000"},
    {"application_name", "kernelevolve"},
}};

/// TCP keep-alives let the server drop a dead client's locks within 20 s. Index scans are forced,
/// because a plan that was cached on empty tables would scan sequentially for ever.
constexpr const char* session_settings =
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 10000; SET client_min_messages = warning; "
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; "
    "SET enable_mergejoin = off; SET jit = off";

constexpr const char* pooled_text =
    "the address of the database is one that pools by transaction, as PgBouncer does with "
    "pool_mode "
    "= transaction: locks, notifications and prepared statements get lost there; use one that "
    "pools "
    "by session, or that of the server itself";

std::string quoted(std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

/// The address with the defaults. Its parts are not repeated in an error: one is a password.
Result<std::string> parameters_of(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  if (!parsed) {
    return Error{Failure::config,
                 "the address of the database is none; an example of one is "
                 "postgresql://user@host:5432/kernelevolve?sslmode=verify-full"};
  }
  std::string text;
  std::set<std::string_view> given;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    given.insert(option->keyword);
    text += fmt::format("{}={} ", option->keyword, quoted(option->val));
  }
  for (const auto& [name, value] : defaults) {
    if (!given.contains(name)) text += fmt::format("{}={} ", name, quoted(value));
  }
  return text;
}

/// A refused statement's message has several lines, of which the first one says it.
std::string first_line(const std::exception& exception) {
  const std::string text = exception.what();
  return std::string(trim(split(text, '\n').front()));
}

/// The message of a connection that failed has a line for each address that was tried.
std::string one_line(const std::exception& exception) {
  const std::string text = exception.what();
  std::string joined;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    if (!joined.empty()) joined += "; ";
    joined += trim(line);
  }
  return joined;
}

/// Notes that there is news. It may come with the answer of any statement, not only to who waits.
class WakeUp final : public pqxx::notification_receiver {
 public:
  WakeUp(pqxx::connection& connection, const std::string& channel, bool& news)
      : notification_receiver(connection, channel), news_(news) {}
  void operator()(const std::string&, int) override { news_ = true; }

 private:
  bool& news_;
};

/// libpqxx 6 would come back with a session that holds no lock and listens to nothing. Later
/// versions never reconnect, which is why this is deprecated.
void never_reconnect(pqxx::connection& connection) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
}

/// Whether no wait mends it: the login, the role or the certificate is wrong. libpq has no code for
/// that; its own messages are English as long as nobody calls setlocale, the server's where
/// lc_messages says so.
bool is_refusal(const Error& error) {
  static constexpr const char* refusals[] = {
      "authentication failed",   "no password supplied", "pg_hba",      "no encryption",
      "does not exist",          "permission denied",    "certificate", "does not support SSL",
      "not permitted to log in", "pools by transaction"};
  return std::ranges::any_of(
      refusals, [&](const char* words) { return error.message.find(words) != std::string::npos; });
}

milliseconds monotonic() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

std::string text_array(const std::vector<std::string>& list) {
  std::string text = "{";
  for (const std::string& item : list) {
    if (text.size() > 1) text += ',';
    text += '"';
    for (const char c : item) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

std::string bytes_of(const pqxx::field& field) {
  if (field.is_null()) return {};
  const pqxx::binarystring bytes(field);
  return {bytes.get(), bytes.size()};
}

Digest digest_in(const pqxx::field& field) {
  const std::string bytes = bytes_of(field);
  Digest digest;
  if (bytes.size() != digest.bytes.size()) return digest;
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

std::string Sql::name_of(const char* text) {
  const std::string name = fmt::format("{}", static_cast<const void*>(text));
  if (prepared_.insert(text).second) connection_.prepare(name, text);
  return name;
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& url, DatabaseWait wait) {
  KE_TRY(std::string parameters, parameters_of(url));
  auto made = std::unique_ptr<Connection>(new Connection(std::move(parameters), std::move(wait)));
  KE_TRY_VOID(made->connect());
  return made;
}

Result<void> Connection::connect_once() {
  try {
    sql_ = std::make_unique<pqxx::connection>(parameters_);
    never_reconnect(*sql_);
    quiet_ = std::make_unique<pqxx::quiet_errorhandler>(*sql_);
    begin_session();
    return {};
  } catch (const Refusal& refusal) {
    drop();
    return refusal.error;
  } catch (const std::exception& exception) {
    drop();
    return Error{Failure::store, "the database cannot be reached: " + one_line(exception)};
  }
}

void Connection::begin_session() {
  pqxx::nontransaction work(*sql_);
  Sql statements(*sql_, work, prepared_);
  statements.script(session_settings);
  const milliseconds before = monotonic();
  const auto time = statements.script(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_backend_pid()");
  clock_offset_ = milliseconds(time[0][0].as<std::int64_t>()) - (before + monotonic()) / 2;
  // A pooler makes up the process id that it tells its clients.
  const bool pooled = time[0][1].as<int>() != sql_->backendpid();
  if (pooled && pools_by_transaction(parameters_)) throw Refusal({Failure::config, pooled_text});
  for (const std::string& channel : channels_) {
    receivers_.push_back(std::make_unique<WakeUp>(*sql_, channel, news_));
  }
  for (const auto& hook : hooks_) hook(statements);
}

Result<void> Connection::connect() {
  if (sql_) return {};
  bool told = false;
  for (milliseconds pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    const auto connected = connect_once();
    if (connected) break;
    if (!was_connected_ && (!wait_.patient || is_refusal(connected.error()))) {
      return connected.error();
    }
    if (!told) wait_.tell(connected.error().message + "; trying until it is back");
    told = true;
    for (milliseconds slept(0); slept < pause; slept += first_pause) {
      if (wait_.stop()) return Error{Failure::store, "stopped while the database was away"};
      std::this_thread::sleep_for(first_pause);
    }
  }
  if (told) wait_.tell("the database is back");
  was_connected_ = true;
  return {};
}

void Connection::drop() {
  receivers_.clear();
  quiet_.reset();
  sql_.reset();
  prepared_.clear();
}

std::optional<Error> Connection::final_error(const std::exception& exception) {
  const auto* failed = dynamic_cast<const pqxx::sql_error*>(&exception);
  const std::string state = failed == nullptr ? "" : failed->sqlstate();
  if (state == "40001" || state == "40P01") return {};  // serialisation, deadlock: again at once
  const bool broken = !sql_->is_open() || state.starts_with("57P") ||
                      dynamic_cast<const pqxx::in_doubt_error*>(&exception) != nullptr ||
                      dynamic_cast<const pqxx::broken_connection*>(&exception) != nullptr;
  if (broken) {
    drop();
    return {};
  }
  return Error{Failure::store, "the database refused: " + first_line(exception)};
}

Result<void> Connection::on_connect(std::function<void(Sql&)> f) {
  hooks_.push_back(f);
  return single([&](Sql& sql) { f(sql); });
}

Result<void> Connection::listen(const std::string& channel) {
  channels_.push_back(channel);
  return retried([&](pqxx::connection& sql) {
    receivers_.push_back(std::make_unique<WakeUp>(sql, channel, news_));
  });
}

Result<void> Connection::notify(const std::string& channel) {
  return single([&](Sql& sql) { sql.script("NOTIFY " + channel); });
}

bool Connection::wait(milliseconds time) {
  if (std::exchange(news_, false)) return true;
  if (!sql_) {
    std::this_thread::sleep_for(std::min(time, first_pause));
    return false;
  }
  try {
    const auto us = static_cast<long>(time.count() % 1000 * 1000);
    sql_->await_notification(static_cast<long>(time.count() / 1000), us);
  } catch (const std::exception&) {
    drop();  // the next statement finds out what it is
  }
  return std::exchange(news_, false);
}

milliseconds Connection::now() const { return monotonic() + clock_offset_; }

}  // namespace ke::postgres
