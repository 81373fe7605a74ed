#include "experiments/study/sweep/run_scratch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "archive/sqlite_store.hpp"
#include "experiments/study/sweep/copy_whole.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

Result<void> copy_if_there(const fs::path& from, const fs::path& to) {
  if (!fs::exists(from)) return {};
  return copy_whole(from, to);
}

void remove_run(const fs::path& run) {
  for (const char* part : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    fs::remove(run.string() + part, ignored);
  }
}

/// A killed process leaves a part of its run in files beside it, which a writer puts into the file.
void settle(const fs::path& run) {
  if (fs::exists(run) && !SqliteStore::open(run.string(), {})) remove_run(run);
}

}  // namespace

RunScratch::RunScratch(std::string folder, const SweepOptions& options, FolderLock lock)
    : folder_(std::move(folder)),
      shared_(options.folder),
      lock_(std::move(lock)),
      sign_(shared_, text_of(options.shard), options.job) {}

Result<std::unique_ptr<RunScratch>> RunScratch::open(const Sweep& sweep,
                                                     const SweepOptions& options) {
  const std::string identity =
      fmt::format("{} {} {}", sweep.plan_hash().hex(), text_of(options.shard),
                  fs::absolute(options.folder).string());
  const std::string folder =
      (fs::path(options.scratch) / ("kernelevolve-" + sha256(identity).short_hex())).string();
  KE_TRY_VOID(make_folder(folder));
  KE_TRY(FolderLock lock, FolderLock::take(folder));
  std::unique_ptr<RunScratch> made(new RunScratch(folder, options, std::move(lock)));
  for (const auto& chain : chains_of_shard(sweep, options.shard)) {
    for (const SweepRun& run : chain) KE_TRY_VOID(made->fetch(run.file));
  }
  return made;
}

Result<void> RunScratch::fetch(const std::string& run) const {
  const fs::path from = fs::path(shared_) / run, to = fs::path(folder_) / run;
  if (!fs::exists(from)) {
    settle(to);
    return {};
  }
  remove_run(to);  // with what SQLite kept beside it, which would destroy another file
  return copy_whole(from, to);
}

Result<void> RunScratch::end(const std::string& run) {
  const fs::path from = fs::path(folder_) / run, to = fs::path(shared_) / run;
  if (fs::exists(from) && !stop_of(to.string())) {
    KE_TRY_VOID(require_closed(from));
    KE_TRY_VOID(copy_whole(from, to));
    const std::string lessons = fs::path(run).replace_extension(".lessons.jsonl").string();
    KE_TRY_VOID(copy_if_there(fs::path(folder_) / lessons, fs::path(shared_) / lessons));
  }
  sign_.end(run);
  return {};
}

void RunScratch::remove() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace ke
