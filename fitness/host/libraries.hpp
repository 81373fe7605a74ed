#pragma once
// Supplies the bytes that workers load.

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "fitness/host/built.hpp"

namespace ke {

class Libraries {
 public:
  virtual ~Libraries() = default;
  /// Announces that a library will be needed soon.
  virtual void ahead(const BuiltPtr& built, std::uint64_t padding) = 0;
  /// The bytes for a worker to load. `padding`: cache lines in front of the code, if it can be
  /// moved.
  virtual Result<std::string> link(const BuiltPtr& built, std::uint64_t padding) = 0;
};

}  // namespace ke
