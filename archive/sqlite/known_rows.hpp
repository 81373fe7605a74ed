#pragma once
// Caches row ids that a connection has written or read, so that repeated references to a kernel,
// build or candidate need no query. A rollback clears the cache, since its rows may be gone.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/candidate.hpp"
#include "core/hash.hpp"

namespace ke::sqlite {

/// A key missing here may still be in the file.
template <typename Key, typename Hash = std::hash<Key>>
class RowIds {
 public:
  std::optional<std::int64_t> find(const Key& key) const {
    const auto found = ids_.find(key);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }
  void keep(const Key& key, std::int64_t id) {
    if (ids_.size() == most) ids_.clear();
    ids_.emplace(key, id);
  }

 private:
  static constexpr std::size_t most = 1 << 16;  ///< a few megabytes
  std::unordered_map<Key, std::int64_t, Hash> ids_;
};

struct KnownRows {
  RowIds<Digest> sources;
  RowIds<Digest> notes;
  RowIds<Digest> genomes;
  RowIds<Digest> builds;
  RowIds<LogicalId, HashLogicalId> candidates;
};

}  // namespace ke::sqlite
