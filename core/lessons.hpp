#pragma once
// Lessons from earlier runs, for prompts.

#include <string>
#include <string_view>

#include "core/random_stream.hpp"

namespace ke {

/// Fixed before the run begins: equal queries and random streams give equal texts.
class Lessons {
 public:
  virtual ~Lessons() = default;
  /// The lessons for a prompt; "" = none this time.
  virtual std::string recall(std::string_view query, RandomStream& random) const = 0;
  /// Identifies the snapshot, for records.
  virtual std::string version() const = 0;
};

}  // namespace ke
