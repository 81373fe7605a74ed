#include "experiments/study/sweep/run_scratch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "archive/run_copy.hpp"
#include "archive/run_reader.hpp"
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

/// 0 where no run can be read.
std::int64_t steps_of(const fs::path& run) {
  if (!fs::exists(run)) return 0;
  const auto reader = RunReader::open(run.string());
  if (!reader) return 0;
  const auto counters = (*reader)->counters();
  return counters ? counters->steps : 0;
}

}  // namespace

RunScratch::RunScratch(std::string folder, const SweepOptions& options, FolderLock lock)
    : folder_(std::move(folder)),
      shared_(options.folder),
      lock_(std::move(lock)),
      sign_(shared_, text_of(options.shard), options.job) {
  thread_ = std::jthread([this, every = options.save_every](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, every, [&] { return stop.stop_requested(); }) &&
           !stop.stop_requested()) {
      save_all();
    }
  });
}

RunScratch::~RunScratch() {
  thread_.request_stop();
  thread_.join();
}

void RunScratch::begin(const std::string& run) {
  sign_.begin(run);
  const std::lock_guard lock(mutex_);
  open_.insert(run);
}

/// A copy that cannot be made now is made later; runs do not fail for it.
void RunScratch::save_all() const {
  for (const std::string& run : open_) {
    const fs::path from = fs::path(folder_) / run, to = fs::path(shared_) / run;
    const fs::path part = from.string() + ".copy";
    remove_run(part);
    if (steps_of(from) == 0 || stop_of(to.string())) continue;
    const auto copied = copy_open_run(from.string(), part.string());
    // A task that Slurm took for lost may have been started again elsewhere, and be further.
    const bool newer = steps_of(part) > steps_of(to) && !stop_of(to.string());
    if (copied && newer) (void)copy_whole(part, to);
    remove_run(part);
  }
}

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

Result<void> RunScratch::fetch(const std::string& run) {
  const fs::path from = fs::path(shared_) / run, to = fs::path(folder_) / run;
  settle(to);
  fetched_[run] = steps_of(from);
  const bool further = !stop_of(from.string()) && steps_of(to) > fetched_[run];
  if (further || !fs::exists(from)) return {};
  remove_run(to);  // with what SQLite kept beside it, which would destroy another file
  return copy_whole(from, to);
}

Result<void> RunScratch::end(const std::string& run) {
  const fs::path from = fs::path(folder_) / run, to = fs::path(shared_) / run;
  const std::lock_guard lock(mutex_);
  open_.erase(run);
  if (fs::exists(from) && !stop_of(to.string())) {
    // save_all, which only reads, may have been the last to close it, with the journal still
    // beside.
    (void)SqliteStore::open(from.string(), {});
    KE_TRY_VOID(require_closed(from));
    if (steps_of(from) > fetched_[run]) advanced_ = true;
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
