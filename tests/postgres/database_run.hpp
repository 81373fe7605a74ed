#pragma once
// A run of its own in the server's database, for suites.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "archive/shared_run.hpp"
#include "tests/postgres/server.hpp"

namespace ke::test {

/// Another run each time, open from the start.
class DatabaseRun {
 public:
  static constexpr int most_attempts = 5;

  DatabaseRun() : name_("run " + std::to_string(next_number())) { open(); }
  History& history() { return run_->history(); }
  FactLog& facts() { return run_->facts(); }
  WorkQueue& queue() { return run_->queue(); }
  SharedRun& run() { return *run_; }
  const std::string& name() const { return name_; }
  void reopen() {
    run_.reset();
    open();
  }
  void close() { run_.reset(); }

 private:
  static int next_number() {
    static int number = 0;
    return ++number;
  }
  void open() {
    auto opened = open_shared_run(server_url(), name_, std::chrono::seconds(5), {});
    ASSERT_TRUE(opened) << opened.error().message;
    run_ = *std::move(opened);
  }

  std::string name_;
  std::unique_ptr<SharedRun> run_;
};

}  // namespace ke::test
