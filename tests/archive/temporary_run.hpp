#pragma once
// A run file in a folder of its own, gone at the end of the test.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "archive/sqlite_store.hpp"

namespace ke::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ke_store_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A store that is open from the start. NORMAL: these tests end no power.
class TemporaryRun {
 public:
  TemporaryRun() { open(); }
  History& history() { return store_->history(); }
  FactLog& facts() { return store_->facts(); }
  KnowledgeIndex& knowledge() { return store_->knowledge(); }
  SqliteStore& store() { return *store_; }
  void close() { store_.reset(); }
  void open() {
    auto opened = SqliteStore::open(path(), {.full_sync = false});
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
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_;
};

}  // namespace ke::test
