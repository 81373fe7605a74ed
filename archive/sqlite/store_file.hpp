#pragma once
// State shared by the parts of a store: the connection, its name and the session.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Provenance of a row. The time is in no hash and affects no decision.
struct Stamp {
  std::optional<std::int64_t> session;
  std::int64_t now_ms = 0;
};

struct StoreFile {
  std::string path;
  std::unique_ptr<Sql> sql;
  std::optional<std::int64_t> session;
  std::function<std::int64_t()> now_ms;
  std::chrono::milliseconds group{0};  ///< see StoreOptions

  StoreFile() = default;
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;
  ~StoreFile() {
    if (open_) static_cast<void>(write([](Sql&) {}));
  }

  Stamp stamp() const { return {session, now_ms()}; }

  /// Runs `f(Sql&)` in one transaction; on return it and all earlier writes are in the file.
  template <typename F>
  Result<void> write(F&& f) {
    return put(f, std::chrono::milliseconds(0));
  }
  /// Runs `f(Sql&)` in a transaction that may stay open for later writes.
  template <typename F>
  Result<void> write_soon(F&& f) {
    return put(f, group);
  }
  template <typename F>
  auto read(F&& f) {
    return guarded(path, [&] { return f(*sql); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int most_waiting = 256;  ///< limit on the writes that a full disk can roll back

  template <typename F>
  Result<void> put(F&& f, Clock::duration wait) {
    const auto written = guarded(path, [&] {
      if (!open_) open_.emplace(*sql);
      f(*sql);
      if (++waiting_ < most_waiting && Clock::now() - committed_ < wait) return;
      open_->commit();
      open_.reset();
      waiting_ = 0;
      committed_ = Clock::now();
    });
    if (!written) {
      open_.reset();  // rolled back
      waiting_ = 0;
    }
    return written;
  }

  std::optional<Transaction> open_;
  int waiting_ = 0;
  Clock::time_point committed_{};
};

}  // namespace ke::sqlite
