#pragma once
// The digest of a numeric archive's elites, from the archive or from stored rows.

#include <cstdint>
#include <span>

#include "core/codec.hpp"

namespace ke {

/// Add elites in ascending order of cell. SHA-256 of "numeric_elites/1" and of each elite's cell,
/// objective, measures and solution.
class ElitesDigest {
 public:
  ElitesDigest() { out_("numeric_elites/1"); }
  void add(std::int64_t cell, double objective, std::span<const double> measures,
           std::span<const double> solution) {
    out_(cell)(objective)(measures.size())(solution.size());
    for (const double value : measures) out_(value);
    for (const double value : solution) out_(value);
  }
  Digest digest() const { return out_.digest(); }

 private:
  Encoder out_;
};

}  // namespace ke
