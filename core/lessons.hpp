#pragma once
// What earlier runs have learned, for prompts.

#include <string>
#include <string_view>

#include "core/random_stream.hpp"

namespace ke {

/// Frozen before the run begins: equal queries and streams give equal texts.
class Lessons {
 public:
  virtual ~Lessons() = default;
  /// What a prompt is told; "" = nothing this time.
  virtual std::string recall(std::string_view query, RandomStream& random) const = 0;
  /// Names the snapshot, for records.
  virtual std::string version() const = 0;
};

}  // namespace ke
