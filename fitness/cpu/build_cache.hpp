#pragma once
// Size and bound of the folder of builds that runs share.

#include <cstdint>
#include <string>

namespace ke {

struct BuildCacheSize {
  std::int64_t builds = 0;
  std::int64_t bytes = 0;
};

/// The bound that every evaluator keeps when it starts.
constexpr std::int64_t largest_build_cache = std::int64_t{2} << 30;

BuildCacheSize build_cache_size(const std::string& folder);

/// Removes the builds that were not used for longest, until the rest has at most `bytes`. Returns
/// what it removed. Touches no other file.
BuildCacheSize prune_builds(const std::string& folder, std::int64_t bytes);

}  // namespace ke
