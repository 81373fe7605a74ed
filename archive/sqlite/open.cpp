#include "archive/sqlite/open.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ke::sqlite {

/// Text of schema.sql.
const char* schema_sql();
/// Text of schema_additions.sql, which changes nothing if its tables exist.
const char* schema_additions_sql();

namespace {

// Markers of a run file of this version.
constexpr std::int64_t application_id = 0x4b45766f;  ///< "KEvo"
constexpr std::int64_t schema_version = 2;           ///< PRAGMA user_version

struct Magic {
  std::uint64_t number;
  std::string_view name;
};

// FUSE carries sshfs, s3fs, gluster and others; it does not reveal whether one is local.
constexpr std::array<Magic, 14> network_magics = {{{0x6969, "NFS"},
                                                   {0x517b, "SMB"},
                                                   {0xff534d42, "CIFS"},
                                                   {0xfe534d42, "SMB2"},
                                                   {0x65735546, "FUSE"},
                                                   {0x0bd00bd0, "Lustre"},
                                                   {0x47504653, "GPFS"},
                                                   {0x01021997, "9p"},
                                                   {0x5346414f, "AFS"},
                                                   {0x6b414653, "kAFS"},
                                                   {0x73757245, "Coda"},
                                                   {0x00c36400, "Ceph"},
                                                   {0x19830326, "BeeGFS"},
                                                   {0x20030528, "OrangeFS"}}};

}  // namespace

std::string_view network_file_system(std::uint64_t magic) {
  for (const Magic& known : network_magics) {
    if (known.number == magic) return known.name;
  }
  return "";
}

bool lies_on_network(const std::string& path) {
  struct statfs status {};
  return statfs(path.c_str(), &status) == 0 &&
         !network_file_system(static_cast<std::uint32_t>(status.f_type)).empty();
}

Result<void> check_folder(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) {
    return Error{Failure::store, fmt::format("{}: folder '{}': {}", path, folder, strerror(errno))};
  }
  const auto name = network_file_system(static_cast<std::uint32_t>(status.f_type));
  if (!name.empty()) {
    return Error{Failure::store,
                 fmt::format("{}: lies on a network file system ({}), where SQLite can lose data; "
                             "choose a local folder and copy the file afterwards",
                             path, name)};
  }
  if (eaccess(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{Failure::store,
                 fmt::format("{}: folder '{}' is not writable: {}", path, folder, strerror(errno))};
  }
  return {};
}

namespace {

std::string lock_path(const std::string& file) { return file + ".lock"; }

std::string owner(int descriptor) {
  char text[32] = {};
  const ssize_t count = pread(descriptor, text, sizeof text - 1, 0);
  return count > 0 ? fmt::format("process {}", std::string(text, static_cast<size_t>(count)))
                   : "another process";
}

// A writer removes its lock file at its end; who waited in open() then has a deleted inode.
bool still_there(const std::string& path, int descriptor) {
  struct stat by_name {};
  struct stat by_descriptor {};
  return stat(path.c_str(), &by_name) == 0 && fstat(descriptor, &by_descriptor) == 0 &&
         by_name.st_ino == by_descriptor.st_ino && by_name.st_dev == by_descriptor.st_dev;
}

struct flock whole_file(int type) {
  struct flock lock {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  return lock;
}

// For people to read; the lock does not depend on it.
void write_owner(int descriptor) {
  const std::string text = fmt::format("{}", getpid());
  if (ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const ssize_t count = pwrite(descriptor, text.data(), text.size(), 0);
  }
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::string& file) {
  const std::string path = lock_path(file);
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) {
      return Error{Failure::store, fmt::format("{}: cannot be opened: {}", path, strerror(errno))};
    }
    struct flock lock_request = whole_file(F_WRLCK);
    if (fcntl(descriptor, F_OFD_SETLK, &lock_request) != 0) {
      const std::string who = owner(descriptor);
      close(descriptor);
      return Error{
          Failure::store,
          fmt::format("{}: {} is writing this run; only one writer is allowed", file, who)};
    }
    WriterLock lock(path, descriptor);
    if (still_there(path, descriptor)) {
      write_owner(descriptor);
      return lock;
    }
    close(std::exchange(lock.descriptor_, -1));
  }
}

bool WriterLock::is_held(const std::string& file) {
  const int descriptor = open(lock_path(file).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock question = whole_file(F_RDLCK);
  const bool held = fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK;
  close(descriptor);
  return held;
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());
  close(descriptor_);
}

namespace {

constexpr int busy_ms = 10'000;

std::int64_t pragma(SQLite::Database& database, const char* text) {
  return database.execAndGet(text).getInt64();
}

// True for a run file of this version, false for an empty database; refuses other files.
bool is_run_file(SQLite::Database& database) {
  const std::int64_t application = pragma(database, "PRAGMA application_id");
  const std::int64_t version = pragma(database, "PRAGMA user_version");
  const std::int64_t tables = pragma(database, "SELECT count(*) FROM sqlite_schema");
  if (application == 0 && version == 0 && tables == 0) return false;
  if (application != application_id) refuse("is a database of another program, not a run file");
  if (version < schema_version) {
    refuse(
        fmt::format("was written by an older version (schema {}, this program reads {}); a program "
                    "from before 0.1.0 reads it",
                    version, schema_version));
  }
  if (version > schema_version) {
    refuse(fmt::format("was written by a newer version (schema {}, this program reads {})", version,
                       schema_version));
  }
  return true;
}

// In one transaction, so that a crash leaves the file either empty or complete.
void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(schema_sql());
  database.exec(fmt::format("PRAGMA application_id = {}", application_id));
  database.exec(fmt::format("PRAGMA user_version = {}", schema_version));
  transaction.commit();
}

void configure_writer(SQLite::Database& database, WriteOptions options) {
  database.exec(options.check_references ? "PRAGMA foreign_keys = ON"
                                         : "PRAGMA foreign_keys = OFF");
  database.exec(options.full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA cache_size = -65536");  // 64 MiB: indexes over random keys fit
  const std::int64_t page = pragma(database, "PRAGMA page_size");
  // Index pages of random keys are written back once for many steps; at most 32 MiB to recover.
  database.exec(fmt::format("PRAGMA wal_autocheckpoint = {}", (32 << 20) / page));
  if (options.max_bytes > 0) {
    pragma(database, fmt::format("PRAGMA max_page_count = {}", options.max_bytes / page).c_str());
  }
}

std::unique_ptr<Sql> write_connection(const std::string& path, WriteOptions options) {
  auto database = std::make_unique<SQLite::Database>(
      path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX, busy_ms);
  const bool existed = is_run_file(*database);
  // A short run fills a fraction of a page of most of its 67 tables and indexes.
  if (!existed) database->exec("PRAGMA page_size = 2048");
  database->exec("PRAGMA journal_mode = WAL");
  configure_writer(*database, options);
  if (!existed) create_schema(*database);
  database->exec(schema_additions_sql());
  return std::make_unique<Sql>(std::move(database));
}

std::unique_ptr<Sql> read_connection(const std::string& uri) {
  auto database = std::make_unique<SQLite::Database>(
      uri, SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX | SQLITE_OPEN_URI, busy_ms);
  if (!is_run_file(*database)) refuse(no_run_yet);
  return std::make_unique<Sql>(std::move(database));
}

// SQLite accepts this setting only before the first connection; later calls do nothing. The unused
// memory statistics would take a global lock on every allocation.
void forgo_statistics() {
  [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const unsigned char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += static_cast<char>(c);
    }
  }
  return uri;
}

/// Nobody writes it, and no journal holds what it lacks.
bool is_closed(const std::string& path) {
  std::error_code none;
  const auto journal = std::filesystem::file_size(path + "-wal", none);
  return !WriterLock::is_held(path) && (none || journal == 0);
}

}  // namespace

Result<std::unique_ptr<Sql>> open_for_writing(const std::string& path, WriteOptions options) {
  forgo_statistics();
  return guarded(path, [&] { return write_connection(path, options); });
}

Result<std::unique_ptr<Sql>> open_for_reading(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    return Error{Failure::store, fmt::format("{}: no such run file", path)};
  }
  forgo_statistics();
  const auto connect = [&](const char* how) {
    return guarded(path, [&] { return read_connection(uri_of(path) + how); });
  };
  // Nobody writes a run there, and hosts cannot share SQLite's memory beside it.
  if (lies_on_network(path)) return connect("?immutable=1");
  // A closed run file is opened as immutable: then SQLite makes no shared memory, which a reader
  // would leave behind, and which cannot be made in a folder that cannot be written. A writer that
  // comes meanwhile writes to a journal first, so the file itself changes late.
  if (is_closed(path)) {
    auto closed = connect("?immutable=1");
    if (closed || is_closed(path)) return closed;
  }
  auto result = connect("?mode=ro");
  if (!result && result.error().message.ends_with(no_run_yet) && WriterLock::is_held(path)) {
    return Error{Failure::store, path + ": holds no run yet: its process is about to begin it"};
  }
  return result;
}

bool is_empty_database(const std::string& path) {
  forgo_statistics();
  const char* how = is_closed(path) ? "?immutable=1" : "?mode=ro";
  const auto empty = guarded(path, [&] {
    SQLite::Database database(uri_of(path) + how, SQLite::OPEN_READONLY | SQLITE_OPEN_URI, busy_ms);
    return !is_run_file(database);
  });
  return empty && *empty;
}

}  // namespace ke::sqlite
