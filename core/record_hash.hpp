#pragma once
// record_hash: one digest over all facts of a run, independent of their order of arrival.

#include <map>

#include "core/hash.hpp"

namespace ke {

/// Digests of canonical bytes, by key.
struct RecordDigests {
  std::map<Digest, Digest> facts;
  std::map<Digest, Digest> exchanges;

  /// SHA-256 of "record/1" and the sorted pairs (key, digest) of facts, then of exchanges.
  Digest hash() const;
};

}  // namespace ke
