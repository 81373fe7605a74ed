#include "fitness/cpu/build_cache.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace ke {
namespace {

namespace fs = std::filesystem;

struct CachedBuild {
  fs::path path;
  fs::file_time_type used;
  std::int64_t bytes;
};

std::vector<CachedBuild> builds_in(const std::string& folder) {
  std::vector<CachedBuild> builds;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    if (at->path().extension() != ".build") continue;
    const auto used = at->last_write_time(gone);
    const auto bytes = gone ? 0 : at->file_size(gone);
    if (!gone) builds.push_back({at->path(), used, static_cast<std::int64_t>(bytes)});
  }
  return builds;
}

BuildCacheSize size_of(const std::vector<CachedBuild>& builds) {
  BuildCacheSize size{static_cast<std::int64_t>(builds.size()), 0};
  for (const CachedBuild& build : builds) size.bytes += build.bytes;
  return size;
}

}  // namespace

BuildCacheSize build_cache_size(const std::string& folder) { return size_of(builds_in(folder)); }

BuildCacheSize prune_builds(const std::string& folder, std::int64_t bytes) {
  auto builds = builds_in(folder);
  std::int64_t left = size_of(builds).bytes;
  BuildCacheSize removed;
  if (left <= bytes) return removed;
  std::ranges::sort(builds, {}, &CachedBuild::used);
  for (const CachedBuild& build : builds) {
    std::error_code failed;
    if (left <= bytes) break;
    if (!fs::remove(build.path, failed)) continue;
    left -= build.bytes;
    ++removed.builds;
    removed.bytes += build.bytes;
  }
  return removed;
}

}  // namespace ke
