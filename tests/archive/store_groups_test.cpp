// Steps and facts that share a transaction: a reader's view, and the state after a kill.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "archive/run_reader.hpp"
#include "archive/run_verify.hpp"
#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {
namespace {

/// Writes facts and steps [from, to); returns the last hash.
Digest write_steps(SqliteStore& store, std::int64_t from, std::int64_t to, Digest hash) {
  for (std::int64_t i = from; i < to; ++i) {
    const int n = static_cast<int>(i);
    EXPECT_TRUE(store.facts().append(sample_job(n), sample_fact(n)));
    const StepRecord record = sample_step(i, hash);
    const auto committed = store.history().commit(record);
    EXPECT_TRUE(committed) << committed.error().message;
    hash = record.history_hash;
  }
  return hash;
}

Digest begin(SqliteStore& store) {
  EXPECT_TRUE(store.history().begin(sample_header()));
  return sample_header().first_hash();
}

Digest stored_hash(const std::string& path) {
  const auto reader = RunReader::open(path);
  EXPECT_TRUE(reader) << reader.error().message;
  const auto hash = (*reader)->history_hash();
  EXPECT_TRUE(hash) << hash.error().message;
  return *hash;
}

TEST(StoreGroups, other_readers_see_a_group_when_it_is_committed_the_writer_at_once) {
  TemporaryGroupedRun run;
  const Digest first = begin(run.store());
  const Digest last = write_steps(run.store(), 0, 5, first);
  EXPECT_EQ(*run.history().committed_steps(), 5);
  EXPECT_EQ(*run.history().hash_at(4), last);
  EXPECT_EQ(stored_hash(run.path()), first);
  ASSERT_TRUE(run.store().end_session(0, 0));  // nothing is written without a session
  EXPECT_EQ(stored_hash(run.path()), first);
  StopRecord stop;
  stop.reason = "budget";
  stop.history_hash = stop.chained(last);
  ASSERT_TRUE(run.history().finish(stop));
  EXPECT_EQ(stored_hash(run.path()), stop.history_hash);
}

TEST(StoreGroups, closing_commits) {
  TemporaryGroupedRun run;
  const Digest last = write_steps(run.store(), 0, 5, begin(run.store()));
  run.close();
  EXPECT_EQ(stored_hash(run.path()), last);
}

// An exchange costs money, so it is written at once, together with everything that waits.
TEST(StoreGroups, a_killed_process_leaves_all_up_to_the_last_exchange_and_the_run_goes_on) {
  TemporaryGroupedRun run;
  run.close();
  const pid_t child = fork();
  if (child == 0) {
    auto opened =
        SqliteStore::open(run.path(), {.full_sync = false, .group = std::chrono::hours(1)});
    if (!opened) _exit(1);
    const Digest hash = write_steps(**opened, 0, 5, begin(**opened));
    if (!(*opened)->facts().append(sample_exchange(0))) _exit(2);
    write_steps(**opened, 5, 8, hash);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "child ended by itself: " << WEXITSTATUS(status);
  run.open();
  EXPECT_EQ(*run.history().committed_steps(), 5);
  EXPECT_TRUE(run.facts().find(sample_fact(4).key)->has_value());
  EXPECT_FALSE(run.facts().find(sample_fact(5).key)->has_value());
  EXPECT_TRUE(run.facts().find_exchange(sample_exchange(0).key)->has_value());
  const Digest last = write_steps(run.store(), 5, 8, **run.history().hash_at(4));
  run.close();
  EXPECT_EQ(stored_hash(run.path()), last);
}

TEST(StoreGroups, a_step_out_of_order_is_refused_alone_one_that_cannot_be_written_with_its_group) {
  TemporaryGroupedRun run;
  const Digest first = begin(run.store());
  const Digest last = write_steps(run.store(), 0, 5, first);
  const auto gap = run.history().commit(sample_step(6, last));
  ASSERT_FALSE(gap);
  EXPECT_NE(gap.error().message.find("step 6 committed out of order: 5 is next"),
            std::string::npos);
  EXPECT_EQ(*run.history().committed_steps(), 5);
  StepRecord orphan = sample_step(5, last);
  auto candidate = sample_candidate({5, 0, 0});
  candidate->ancestors = {{{99, 0, 0}, ParentRole::parent}};
  orphan.candidates = {candidate};
  EXPECT_FALSE(run.history().commit(orphan));
  EXPECT_EQ(*run.history().committed_steps(), 0);
  EXPECT_EQ(stored_hash(run.path()), first);
  const Digest again = write_steps(run.store(), 0, 5, first);
  run.close();
  EXPECT_EQ(stored_hash(run.path()), again);
}

// The transaction is lost as a whole, and the file tells where to continue.
TEST(StoreGroups, a_full_disk_takes_back_the_group_and_nothing_before) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.kev");
  const auto limited = [&](std::int64_t bytes) {
    auto opened = SqliteStore::open(
        path, {.full_sync = false, .group = std::chrono::hours(1), .max_bytes = bytes});
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  };
  auto store = limited(3'000'000);
  std::vector<Digest> hashes = {write_steps(*store, 0, 20, begin(*store))};
  ASSERT_TRUE(store->facts().append(sample_exchange(0)));
  std::int64_t next = 20;
  for (; next < 5000; ++next) {
    const StepRecord record = sample_step(next, hashes.back());
    const auto committed = store->history().commit(record);
    if (!committed) {
      EXPECT_NE(committed.error().message.find("disk full"), std::string::npos);
      break;
    }
    hashes.push_back(record.history_hash);
  }
  ASSERT_LT(next, 5000);
  const std::int64_t steps = *store->history().committed_steps();
  EXPECT_GT(steps, next - 256) << "a group is of at most 256";
  EXPECT_GT(steps, 20);
  Digest kept = hashes[static_cast<std::size_t>(steps - 20)];
  store.reset();
  EXPECT_EQ(stored_hash(path), kept);
  store = limited(0);
  EXPECT_EQ(*store->history().committed_steps(), steps);
  kept = write_steps(*store, steps, steps + 10, kept);
  store.reset();
  EXPECT_EQ(stored_hash(path), kept);
}

}  // namespace
}  // namespace ke::test
