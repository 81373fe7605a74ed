#pragma once
// A run file in its own folder, removed at the end of the test.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "archive/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke::test {

/// A store that is open from the start. NORMAL suffices, because these tests simulate no power cut.
class TemporaryRun {
 public:
  explicit TemporaryRun(std::chrono::milliseconds group = {}) : group_(group) { open(); }
  History& history() { return store_->history(); }
  FactLog& facts() { return store_->facts(); }
  SqliteStore& store() { return *store_; }
  void close() { store_.reset(); }
  void open() {
    auto opened = SqliteStore::open(path(), {.full_sync = false, .group = group_});
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
  }
  void reopen() {
    close();
    open();
  }
  std::string path() const { return folder_.file("run.kev"); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  std::chrono::milliseconds group_;
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_;
};

/// A store in which everything that may wait shares one transaction.
struct TemporaryGroupedRun : TemporaryRun {
  TemporaryGroupedRun() : TemporaryRun(std::chrono::hours(1)) {}
};

}  // namespace ke::test
