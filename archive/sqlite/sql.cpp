#include "archive/sqlite/sql.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ke::sqlite {
namespace {

static_assert(std::endian::native == std::endian::little, "blobs of the store are little-endian");

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

const std::uint64_t plain_nan = bits_of(std::numeric_limits<double>::quiet_NaN());

// Message for a primary SQLite result code; "" = use SQLite's own message.
std::string_view plain_words(int code) {
  switch (code) {
    case SQLITE_NOTADB: return "is not a run file (not a SQLite database)";
    case SQLITE_CORRUPT: return "is corrupt; restore it from a copy";
    case SQLITE_FULL:
      return "disk full: nothing of this step was written; free some space, then resume";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "is locked by another process";
    case SQLITE_READONLY: return "cannot be written (read-only file or directory)";
    case SQLITE_CANTOPEN: return "cannot be opened or created";
    default: return "";
  }
}

}  // namespace

void refuse(std::string message) { throw Refusal(Error{Failure::store, std::move(message)}); }

Error translate(const SQLite::Exception& exception, const std::string& file) {
  const std::string_view words = plain_words(exception.getErrorCode() & 0xff);
  if (!words.empty()) return {Failure::store, fmt::format("{}: {}", file, words)};
  return {Failure::store, fmt::format("{}: {} (SQLite code {})", file, exception.what(),
                                      exception.getExtendedErrorCode())};
}

std::optional<std::int64_t> Row::maybe(int column) const {
  if (null(column)) return std::nullopt;
  return integer(column);
}

double Row::real(int column) const {
  const SQLite::Column value = statement_.getColumn(column);
  if (value.isNull()) return std::bit_cast<double>(plain_nan);
  if (!value.isBlob()) return value.getDouble();
  if (value.getBytes() != sizeof(double)) refuse("damaged: a number of the wrong size");
  double number;
  std::memcpy(&number, value.getBlob(), sizeof number);
  return number;
}

Digest Row::digest(int column) const {
  Digest digest;
  const SQLite::Column value = statement_.getColumn(column);
  if (value.isNull()) return digest;
  if (value.getBytes() != static_cast<int>(digest.bytes.size())) {
    refuse("damaged: a hash of the wrong size");
  }
  std::memcpy(digest.bytes.data(), value.getBlob(), digest.bytes.size());
  return digest;
}

std::vector<std::int64_t> Row::nanoseconds(int column) const {
  const SQLite::Column value = statement_.getColumn(column);
  const auto bytes = static_cast<std::size_t>(value.getBytes());
  if (bytes % sizeof(std::int64_t) != 0) refuse("damaged: cut samples");
  std::vector<std::int64_t> list(bytes / sizeof(std::int64_t));
  if (bytes > 0) std::memcpy(list.data(), value.getBlob(), bytes);
  return list;
}

void Sql::bind(SQLite::Statement& s, int i, const Digest& v) {
  if (v.is_zero()) {
    s.bind(i);
  } else {
    s.bindNoCopy(i, v.bytes.data(), static_cast<int>(v.bytes.size()));
  }
}

void Sql::bind(SQLite::Statement& s, int i, Real v) {
  const std::uint64_t bits = bits_of(v.value);
  if (bits == plain_nan) {
    s.bind(i);
  } else if (std::isnan(v.value) || (v.value == 0 && bits != 0)) {
    s.bind(i, &bits, sizeof bits);
  } else {
    s.bind(i, v.value);
  }
}

void Sql::bind(SQLite::Statement& s, int i, Nanoseconds v) {
  const void* data = v.list.empty() ? static_cast<const void*>("") : v.list.data();
  s.bindNoCopy(i, data, static_cast<int>(v.list.size() * sizeof(std::int64_t)));
}

SQLite::Statement& Sql::prepared(const char* text) {
  const auto found = statements_.find(text);
  if (found != statements_.end()) return found->second;
  return statements_.try_emplace(text, *database_, text).first->second;
}

SQLite::Statement& Sql::prepared(const char* text, std::size_t columns, std::size_t rows) {
  const std::pair key(text, rows);
  const auto found = row_statements_.find(key);
  if (found != row_statements_.end()) return found->second;
  std::string row = "(?";
  for (std::size_t c = 1; c < columns; ++c) row += ", ?";
  row += ")";
  std::string whole = text;
  for (std::size_t r = 0; r < rows; ++r) whole += (r == 0 ? " " : ", ") + row;
  return row_statements_.try_emplace(key, *database_, whole).first->second;
}

Transaction::~Transaction() {
  if (open_) sql_.known() = {};
  // A full disk can make SQLite roll back itself; the connection is then in autocommit mode.
  if (open_ && sqlite3_get_autocommit(sql_.database().getHandle()) == 0) {
    sqlite3_exec(sql_.database().getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  sql_.run("COMMIT");
  open_ = false;
}

}  // namespace ke::sqlite
