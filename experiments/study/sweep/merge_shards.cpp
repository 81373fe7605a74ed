#include "experiments/study/sweep/merge_shards.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>

#include "experiments/run/atomic_file.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/study/sweep/sweep_folder.hpp"
#include "experiments/study/sweep/sweep_index.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

Result<SweepIndex> required_index(const std::string& folder) {
  KE_TRY(auto index, read_sweep_index(folder));
  if (index) return *std::move(index);
  return Error{Failure::usage, folder + ": no folder of a sweep: it has no sweep.json"};
}

class Merging {
 public:
  explicit Merging(std::string folder) : folder_(std::move(folder)) {}

  Result<MergedSweep> run(const std::vector<std::string>& folders) {
    KE_TRY(merged_, read_sweep_index(folder_));
    for (const std::string& shard : folders) {
      KE_TRY(const SweepIndex index, required_index(shard));
      if (!merged_) KE_TRY_VOID(begin(index));
      KE_TRY_VOID(require_same_plan(shard, index));
      for (const IndexedRun& one : index.runs) KE_TRY_VOID(take(shard, one));
      merged_->failures.insert(index.failures.begin(), index.failures.end());
    }
    return written();
  }

 private:
  Result<void> begin(const SweepIndex& index) {
    merged_ = index;
    merged_->failures.clear();
    return make_folder(folder_);
  }

  Result<void> require_same_plan(const std::string& shard, const SweepIndex& index) const {
    if (index.plan_hash == merged_->plan_hash) return {};
    return Error{Failure::usage,
                 fmt::format("{}: holds sweep '{}' with plan {}, not '{}' with plan {}", shard,
                             index.name, index.plan_hash.substr(0, 12), merged_->name,
                             merged_->plan_hash.substr(0, 12))};
  }

  Result<void> take(const std::string& shard, const IndexedRun& run) {
    const fs::path from = fs::path(shard) / run.file, to = fs::path(folder_) / run.file;
    if (!fs::exists(from)) return {};
    const auto [first, is_new] = from_.emplace(run.file, shard);
    if (!is_new) {
      return Error{Failure::usage,
                   fmt::format("{} and {}: both hold run {}", first->second, shard, run.file)};
    }
    KE_TRY_VOID(require_closed(from));
    merged_->failures.erase(run.file);
    if (!stop_of(to.string())) KE_TRY_VOID(copy_whole(from, to));
    const std::string lessons = fs::path(run.file).stem().string() + ".lessons.jsonl";
    if (!fs::exists(fs::path(shard) / lessons)) return {};
    return copy_whole(fs::path(shard) / lessons, fs::path(folder_) / lessons);
  }

  Result<MergedSweep> written() {
    std::vector<IndexEntry> entries;
    MergedSweep made{merged_->name, static_cast<std::int64_t>(merged_->runs.size()), 0, 0};
    std::vector<std::string> files;
    for (const IndexedRun& run : merged_->runs) {
      entries.push_back({run.file, run.task_folder});
      const fs::path file = fs::path(folder_) / run.file;
      if (fs::exists(file)) files.push_back(file.string());
    }
    made.present = static_cast<std::int64_t>(files.size());
    KE_TRY(made.made_by, makers_of(files));
    made.failed = static_cast<std::int64_t>(merged_->failures.size());
    KE_TRY_VOID(write_sweep_index(folder_, *merged_));
    KE_TRY_VOID(write_index(folder_, entries));
    return made;
  }

  std::string folder_;
  std::optional<SweepIndex> merged_;
  std::map<std::string, std::string> from_;  ///< shard of each run
};

}  // namespace

Result<MergedSweep> merge_shards(const std::vector<std::string>& folders,
                                 const std::string& folder) {
  return Merging(folder).run(folders);
}

}  // namespace ke
