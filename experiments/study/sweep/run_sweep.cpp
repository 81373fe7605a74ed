#include "experiments/study/sweep/run_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "archive/run_folder.hpp"
#include "archive/run_reader.hpp"
#include "archive/sqlite_store.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/run_one.hpp"
#include "experiments/study/sweep/chain.hpp"
#include "experiments/study/sweep/running_sign.hpp"
#include "experiments/study/sweep/sweep_folder.hpp"

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

/// Runs that are written on a local disk and moved whole to a folder that several hosts share:
/// SQLite loses data on network file systems.
class RunScratch {
 public:
  /// Creates and locks a folder below options.scratch whose name depends on plan, shard and shared
  /// folder alone. Fetches runs that were moved to options.folder earlier; of a run that a killed
  /// process left here, the copy with more steps stays.
  static Result<std::unique_ptr<RunScratch>> open(const Sweep& sweep, const SweepOptions& options) {
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

  ~RunScratch() {
    thread_.request_stop();
    thread_.join();
  }

  const std::string& folder() const { return folder_; }
  /// Copies the run to the shared folder every options.save_every from now on.
  void begin(const std::string& run) {
    sign_.begin(run);
    const std::lock_guard lock(mutex_);
    open_.insert(run);
  }
  /// Moves a run that no process writes any more to the shared folder, unless it has ended there.
  Result<void> end(const std::string& run) {
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
  /// Whether some run that was moved has more steps than its copy in the shared folder had.
  bool advanced() const { return advanced_; }
  /// Removes the folder. Call it when all runs have been moved.
  void remove() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

 private:
  RunScratch(std::string folder, const SweepOptions& options, FolderLock lock)
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
  Result<void> fetch(const std::string& run) {
    const fs::path from = fs::path(shared_) / run, to = fs::path(folder_) / run;
    settle(to);
    fetched_[run] = steps_of(from);
    const bool further = !stop_of(from.string()) && steps_of(to) > fetched_[run];
    if (further || !fs::exists(from)) return {};
    remove_run(to);  // with what SQLite kept beside it, which would destroy another file
    return copy_whole(from, to);
  }
  /// A copy that cannot be made now is made later; runs do not fail for it.
  void save_all() const {
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

  std::string folder_;
  std::string shared_;
  FolderLock lock_;
  RunningSign sign_;
  std::map<std::string, std::int64_t> fetched_;  ///< steps that each run had in the shared folder
  std::mutex mutex_;  ///< guards the two members below; held while runs are copied
  std::set<std::string> open_;
  bool advanced_ = false;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

using Clock = std::chrono::steady_clock;

/// The runs of one sweep, handed to threads.
class Pool {
 public:
  /// `scratch` is null where runs are written in the sweep's folder itself.
  Pool(const Sweep& sweep, const SweepOptions& options, RunScratch* scratch,
       const StopSignals& signals, SweepIndex& index, SweepState& state, Console& console)
      : sweep_(sweep),
        options_(options),
        scratch_(scratch),
        folder_(scratch == nullptr ? options.folder : scratch->folder()),
        signals_(signals),
        index_(index),
        state_(state),
        console_(console),
        chains_(chains_of_shard(sweep, options.shard)) {
    for (const auto& chain : chains_) state_.planned += static_cast<std::int64_t>(chain.size());
  }

  Result<int> run() {
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
    }
    if (console_.terminal && !options_.quiet) console_.err << "\n";
    state_.failed = static_cast<std::int64_t>(index_.failures.size());
    if (fatal_) return *fatal_;
    if (signals_.stop_requested()) {
      console_.err << fmt::format("interrupted; state is saved in {}, the same command goes on\n",
                                  options_.folder);
      return signals_.exit_code();
    }
    for (const SweepRun& run : runs_of(sweep_)) {
      const auto failed = index_.failures.find(run.file);
      if (failed != index_.failures.end()) return failed->second.code;
    }
    return state_.safety > 0 ? exit_code::safety : exit_code::done;
  }

 private:
  void work() {
    while (true) {
      std::size_t at = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ >= chains_.size() || fatal_ || signals_.stop_requested()) return;
        at = next_++;
      }
      for (const SweepRun& run : chains_[at]) {
        if (!carry_out(run)) break;  // the next run of the chain needs its lessons
      }
    }
  }

  /// Carries out one run; returns true if it is done.
  bool carry_out(const SweepRun& run) {
    const std::string file = (fs::path(folder_) / run.file).string();
    if (const auto stop = stop_of(file)) {
      if (!move_to_shared(run)) return false;  // a process may have died before it did
      ended(run, *stop == "safety");
      return true;
    }
    std::ostringstream out, err;
    Console console{out, err, false, console_.cache_folder};
    if (scratch_ != nullptr) scratch_->begin(run.file);
    const auto code = run_in(file, run, console);
    warn(err.str());
    if (!move_to_shared(run)) return false;
    if (!code) {
      failed(run, code.error());
      return false;
    }
    if (*code >= exit_code::interrupted) return false;
    ended(run, *code == exit_code::safety);
    return true;
  }

  bool move_to_shared(const SweepRun& run) {
    if (scratch_ == nullptr) return true;
    const auto moved = scratch_->end(run.file);
    if (moved) return true;
    const std::lock_guard lock(mutex_);
    if (!fatal_) fatal_ = moved.error();
    return false;
  }

  Result<int> run_in(const std::string& file, const SweepRun& run, Console& console) {
    const Experiment& experiment = sweep_.arms[run.arm].experiments[run.task];
    const Subject& subject = sweep_.subject(run.arm, run.task);
    if (!sweep_.chained || !experiment.memory) {
      KE_TRY(const RunEnd end,
             run_one({experiment, subject, run.seed, file, true}, signals_, console));
      return end.code;
    }
    KE_TRY(const ChainedRun told, continue_chain(sweep_, run, folder_));
    KE_TRY(const RunEnd end,
           run_one({told.experiment, told.subject, run.seed, file, true}, signals_, console));
    return end.code;
  }

  void ended(const SweepRun& run, bool by_safety) {
    const std::lock_guard lock(mutex_);
    ++state_.done;
    if (by_safety) ++state_.safety;
    forget_failure(options_.folder, run.file);
    if (index_.failures.erase(run.file) > 0) save(run);
    show(run);
  }

  void failed(const SweepRun& run, const Error& error) {
    const std::lock_guard lock(mutex_);
    if (error.failure == Failure::device) {
      if (!fatal_) fatal_ = error;
      return;
    }
    index_.failures[run.file] = {exit_code_of(error.failure), error.message};
    save(run);
    show(run);
  }

  /// Prints each warning once, because all runs on one machine have the same ones.
  void warn(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (text.empty() || text == warned_) return;
    warned_ = text;
    console_.err << text;
  }

  /// Whether the run failed. The index of a shared folder is not one process's to write.
  void save(const SweepRun& run) {
    const auto failure = index_.failures.find(run.file);
    const bool failed = failure != index_.failures.end();
    const auto written = scratch_ == nullptr ? write_sweep_index(options_.folder, index_)
                         : failed ? note_failure(options_.folder, run.file, failure->second)
                                  : Result<void>();
    if (!written && !fatal_) fatal_ = written.error();
  }

  void show(const SweepRun& run) {
    if (options_.quiet) return;
    const auto now = Clock::now();
    const bool last =
        state_.done + static_cast<std::int64_t>(index_.failures.size()) == state_.planned;
    const auto every = std::chrono::milliseconds(console_.terminal ? 100 : 10'000);
    if (!last && now - shown_ < every) return;
    shown_ = now;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const std::string line = fmt::format("{}/{} runs  {} failed  {}  {}", state_.done,
                                         state_.planned, index_.failures.size(),
                                         clock_text(static_cast<std::int64_t>(elapsed)), run.file);
    if (console_.terminal) {
      const std::size_t blank = width_ > line.size() ? width_ - line.size() : 0;
      console_.err << "\r" << line << std::string(blank, ' ') << std::flush;
      width_ = line.size();
    } else {
      console_.err << line << "\n" << std::flush;
    }
  }

  const Sweep& sweep_;
  const SweepOptions& options_;
  RunScratch* scratch_;
  std::string folder_;  ///< where runs are written
  const StopSignals& signals_;
  SweepIndex& index_;
  SweepState& state_;
  Console& console_;
  std::vector<std::vector<SweepRun>> chains_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::optional<Error> fatal_;
  std::string warned_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
  std::size_t width_ = 0;
};

/// Several processes may work on the shared folder: the first one writes its index.
Result<int> run_on_scratch(const Sweep& sweep, const SweepOptions& options, SweepState& state,
                           Console& console) {
  const StopSignals signals;  // before the sign that says that we live
  KE_TRY(SweepIndex index, open_index(sweep, options.folder));
  if (!fs::exists(fs::path(options.folder) / sweep_index_name)) {
    KE_TRY_VOID(write_indices(options.folder, index));
  }
  index.failures.clear();  // those of the own shard come anew
  KE_TRY(const auto scratch, RunScratch::open(sweep, options));
  KE_TRY(const int code, Pool(sweep, options, scratch.get(), signals, index, state, console).run());
  state.cut_short = signals.out_of_time() && scratch->advanced();
  scratch->remove();
  return code;
}

}  // namespace

std::string text_of(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::optional<std::string> stop_of(const std::string& file) {
  if (!fs::exists(file)) return std::nullopt;
  const auto reader = RunReader::open(file);
  if (!reader) return std::nullopt;  // incomplete file of a killed process; the writer handles it
  const auto state = (*reader)->state();
  const auto stop = (*reader)->stop();
  if (!state || *state != RunState::done || !stop || !*stop) return std::nullopt;
  return (**stop).reason;
}

Result<SweepIndex> open_index(const Sweep& sweep, const std::string& folder) {
  KE_TRY(auto known, read_sweep_index(folder));
  SweepIndex fresh = index_of(sweep);
  if (!known) return fresh;
  if (known->plan_hash == fresh.plan_hash) {
    fresh.failures = std::move(known->failures);
    fresh.shards = known->shards;
    return fresh;
  }
  const bool analysis = known->analysis_hash != fresh.analysis_hash;
  return Error{
      Failure::usage,
      fmt::format("{} holds another sweep: its {} was fixed before its first run; '--out' puts "
                  "this one elsewhere{}",
                  folder, analysis ? "analysis" : "matrix of arms, tasks and seeds",
                  analysis ? ", and 'compare FOLDER endpoint=...' explores another analysis" : "")};
}

Result<void> write_indices(const std::string& folder, const SweepIndex& index) {
  KE_TRY_VOID(write_sweep_index(folder, index));
  std::vector<IndexEntry> entries;
  for (const IndexedRun& run : index.runs) entries.push_back({run.file, run.task_folder});
  return write_index(folder, entries);
}

std::vector<std::vector<SweepRun>> chains_of_shard(const Sweep& sweep, const Shard& shard) {
  std::vector<std::vector<SweepRun>> own;
  const auto all = chains_of(sweep);
  for (std::size_t i = shard.index - 1; i < all.size(); i += shard.count) own.push_back(all[i]);
  return own;
}

bool is_simulated(const Sweep& sweep) {
  return std::ranges::all_of(
      sweep.arms, [](const SweepArm& arm) { return is_simulated(arm.experiments.front()); });
}

Result<int> run_sweep(const Sweep& sweep, const SweepOptions& options, SweepState& state,
                      Console& console) {
  KE_TRY_VOID(make_folder(options.folder));
  SweepOptions used = options;
  if (!is_simulated(sweep)) used.jobs = 1;  // one exclusive lane
  if (!options.scratch.empty()) return run_on_scratch(sweep, used, state, console);
  KE_TRY(const FolderLock lock, FolderLock::take(options.folder));
  KE_TRY(SweepIndex index, open_index(sweep, options.folder));
  KE_TRY_VOID(write_indices(options.folder, index));
  const StopSignals signals;
  return Pool(sweep, used, nullptr, signals, index, state, console).run();
}

}  // namespace ke
