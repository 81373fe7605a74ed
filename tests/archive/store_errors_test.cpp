// The store refuses every invalid run file with one clear line and loses nothing.

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "archive/run_reader.hpp"
#include "archive/run_verify.hpp"
#include "archive/sqlite/open.hpp"
#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string open_error(const std::string& path) {
  const auto opened = SqliteStore::open(path);
  if (opened) return "opened";
  EXPECT_EQ(opened.error().failure, Failure::store);
  EXPECT_THAT(opened.error().message, Not(HasSubstr("\n")));
  EXPECT_THAT(opened.error().message, HasSubstr(path));
  return opened.error().message;
}

void change(const std::string& path, const std::string& statement) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(statement);
}

void begin_run(TemporaryRun& run, std::int64_t steps) {
  ASSERT_TRUE(run.history().begin(sample_header()));
  for (const StepRecord& record : sample_steps(steps)) ASSERT_TRUE(run.history().commit(record));
}

TEST(StoreErrors, refuses_a_file_that_is_no_database) {
  TemporaryFolder folder;
  std::ofstream(folder.file("a.kev")) << std::string(5000, 'x');
  EXPECT_THAT(open_error(folder.file("a.kev")), HasSubstr("is not a run file"));
  const auto reader = RunReader::open(folder.file("a.kev"));
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, HasSubstr("is not a run file"));
}

TEST(StoreErrors, refuses_the_database_of_another_program) {
  TemporaryFolder folder;
  change(folder.file("a.kev"), "CREATE TABLE t (x)");
  EXPECT_THAT(open_error(folder.file("a.kev")), HasSubstr("database of another program"));
}

TEST(StoreErrors, refuses_older_and_newer_schemas) {
  TemporaryRun run;
  run.close();
  change(run.path(), "PRAGMA user_version = 0");
  const auto reader = RunReader::open(run.path());
  ASSERT_FALSE(reader);
  EXPECT_THAT(
      reader.error().message,
      HasSubstr("older version (schema 0, this program reads 2); a program from before 0.1"));
  for (const char* suffix : {"-wal", "-shm"})
    EXPECT_FALSE(std::filesystem::exists(run.path() + suffix));
  change(run.path(), "PRAGMA user_version = 3");
  EXPECT_THAT(open_error(run.path()), HasSubstr("newer version (schema 3, this program reads 2)"));
}

TEST(StoreErrors, refuses_a_second_writer_at_once_and_frees_the_file_at_the_end) {
  TemporaryRun run;
  const std::string message = open_error(run.path());
  EXPECT_THAT(message, HasSubstr("process " + std::to_string(getpid()) + " is writing this run"));
  run.close();
  EXPECT_EQ(open_error(run.path()), "opened");
  EXPECT_FALSE(std::filesystem::exists(run.path() + ".lock"));
}

TEST(StoreErrors, a_lock_file_left_by_a_killed_writer_means_nothing) {
  TemporaryRun run;
  run.close();
  std::ofstream(run.path() + ".lock") << "12345";
  EXPECT_EQ(open_error(run.path()), "opened");
}

TEST(StoreErrors, refuses_a_missing_folder) {
  EXPECT_THAT(open_error("/nowhere/at/all/a.kev"), HasSubstr("No such file or directory"));
}

// Root may write everywhere, so an unprivileged child process tries.
TEST(StoreErrors, refuses_a_folder_that_cannot_be_written) {
  TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0)) _exit(2);
    const auto opened = SqliteStore::open(folder.file("a.kev"));
    const bool good = !opened && opened.error().message.find(
                                     "is not writable: Permission denied") != std::string::npos;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Numbers from statfs(2) and linux/magic.h.
TEST(StoreErrors, knows_network_file_systems_by_their_magic) {
  EXPECT_EQ(sqlite::network_file_system(0x6969), "NFS");
  EXPECT_EQ(sqlite::network_file_system(0xFE534D42), "SMB2");
  EXPECT_EQ(sqlite::network_file_system(0x65735546), "FUSE");
  EXPECT_EQ(sqlite::network_file_system(0x0BD00BD0), "Lustre");
  EXPECT_EQ(sqlite::network_file_system(0xEF53), "");      // ext4
  EXPECT_EQ(sqlite::network_file_system(0x01021994), "");  // tmpfs
}

TEST(StoreErrors, names_a_corrupt_file) {
  TemporaryRun run;
  begin_run(run, 30);
  run.close();
  {
    std::fstream file(run.path(), std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 1; page < 60; ++page) {
      file.seekp(page * 4096);
      file.write(std::string(200, '\xee').data(), 200);
    }
  }
  const auto reader = RunReader::open(run.path());
  std::string message = reader ? "" : reader.error().message;
  if (reader) {
    const auto report = verify_run(**reader);
    message = report ? "" : report.error().message;
  }
  EXPECT_THAT(message, HasSubstr("is corrupt"));
}

// Appends facts until the file system is full; then frees space and commits the failed step again.
void fill_and_recover(SqliteStore& store, const std::function<void()>& make_room,
                      const std::string& path) {
  ASSERT_TRUE(store.history().begin(sample_header()));
  Digest hash = sample_header().first_hash();
  std::int64_t steps = 0;
  std::string message;
  for (; steps < 5000 && message.empty(); ++steps) {
    const auto record = sample_step(steps, hash);
    const auto result = store.history().commit(record);
    if (!result) {
      message = result.error().message;
      break;
    }
    hash = record.history_hash;
  }
  EXPECT_THAT(message, HasSubstr("disk full: nothing of this step was written"));
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_EQ(*store.history().committed_steps(), steps);
  EXPECT_EQ(*store.history().hash_at(steps - 1), hash);
  make_room();
  const auto again = store.history().commit(sample_step(steps, hash));
  EXPECT_TRUE(again) << again.error().message;
  EXPECT_EQ(*store.history().committed_steps(), steps + 1);
}

TEST(StoreErrors, a_declared_limit_of_size_is_a_full_disk) {
  TemporaryFolder folder;
  auto opened = SqliteStore::open(folder.file("a.kev"), {.full_sync = false, .max_bytes = 800'000});
  ASSERT_TRUE(opened);
  auto store = *std::move(opened);
  const auto raise_limit = [&] {
    store.reset();
    auto again = SqliteStore::open(folder.file("a.kev"), {.full_sync = false});
    ASSERT_TRUE(again);
    store = *std::move(again);
  };
  ASSERT_TRUE(store->history().begin(sample_header()));
  Digest hash = sample_header().first_hash();
  std::int64_t steps = 0;
  while (steps < 5000) {
    const auto record = sample_step(steps, hash);
    const auto result = store->history().commit(record);
    if (!result) {
      EXPECT_THAT(result.error().message, HasSubstr("disk full"));
      break;
    }
    hash = record.history_hash;
    ++steps;
  }
  ASSERT_LT(steps, 5000);
  raise_limit();
  EXPECT_EQ(*store->history().committed_steps(), steps);
  EXPECT_TRUE(store->history().commit(sample_step(steps, hash)));
}

// A file system of 1 MiB: writes fail while statements run and while COMMIT writes the log.
TEST(StoreErrors, a_full_disk_loses_nothing_and_the_step_can_be_committed_again) {
  TemporaryFolder folder;
  if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "no right to mount a small file system: " << strerror(errno);
  }
  {
    // Reserves space that the test frees later.
    std::ofstream(folder.file("filler")) << std::string(200'000, 'x');
    auto opened = SqliteStore::open(folder.file("a.kev"));
    ASSERT_TRUE(opened) << opened.error().message;
    const auto store = *std::move(opened);
    fill_and_recover(
        *store, [&] { std::filesystem::remove(folder.file("filler")); }, folder.file("a.kev"));
  }
  const auto reader = RunReader::open(folder.file("a.kev"));
  EXPECT_TRUE(reader);
  umount2(folder.path().c_str(), MNT_DETACH);
}

// A child commits as fast as it can and is killed; everything that it reported must be there.
TEST(StoreErrors, survives_kill_9_in_the_middle_of_commits) {
  TemporaryFolder folder;
  const std::string path = folder.file("run.kev");
  std::int64_t total = 0;
  for (int round = 0; round < 8; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto opened = SqliteStore::open(path, {.full_sync = false});
      if (!opened) _exit(1);
      History& history = (*opened)->history();
      if (!history.begin(sample_header())) _exit(2);
      std::int64_t next = *history.committed_steps();
      Digest hash = next == 0 ? sample_header().first_hash() : **history.hash_at(next - 1);
      while (true) {
        const auto record = sample_step(next, hash);
        const int n = static_cast<int>(next);
        if (!(*opened)->facts().append(sample_job(n), sample_fact(n))) _exit(3);
        if (!history.commit(record)) _exit(4);
        hash = record.history_hash;
        ++next;
        if (write(pipe_ends[1], &next, sizeof next) != sizeof next) _exit(5);
      }
    }
    close(pipe_ends[1]);
    std::int64_t reported = 0;
    // Kills at a different moment in each round.
    for (int i = 0; i < 3 + 5 * round; ++i) {
      if (read(pipe_ends[0], &reported, sizeof reported) != sizeof reported) break;
    }
    usleep(static_cast<useconds_t>(137 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "child ended by itself: " << WEXITSTATUS(status);
    while (read(pipe_ends[0], &reported, sizeof reported) == sizeof reported) {
    }
    close(pipe_ends[0]);
    auto opened = SqliteStore::open(path, {.full_sync = false});
    ASSERT_TRUE(opened) << opened.error().message;
    const auto steps = *(*opened)->history().committed_steps();
    EXPECT_GE(steps, reported);
    EXPECT_LE(steps, reported + 1);
    for (int n = 0; n < static_cast<int>(reported); ++n) {
      EXPECT_TRUE((*opened)->facts().find(sample_fact(n).key)->has_value()) << n;
    }
    total = steps;
  }
  EXPECT_GT(total, 100);
  const auto reader = RunReader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(*(*reader)->history_hash(), sample_steps(total).back().history_hash);
}

}  // namespace
}  // namespace ke::test
