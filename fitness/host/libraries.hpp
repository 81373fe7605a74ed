#pragma once
// Where the judge gets what a worker loads.

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "fitness/host/built.hpp"

namespace ke {

class Libraries {
 public:
  virtual ~Libraries() = default;
  /// Says that a library will be wanted soon.
  virtual void ahead(const BuiltPtr& built, std::uint64_t padding) = 0;
  /// Bytes of what a worker loads. `padding`: cache lines in front of its code, where it can be
  /// moved.
  virtual Result<std::string> link(const BuiltPtr& built, std::uint64_t padding) = 0;
};

}  // namespace ke
