#pragma once
// How fast this core moves memory, by size of what is moved: the roofline of the floor.

#include <cstddef>
#include <map>

namespace ke {

/// Read-and-write streams, measured when first asked and remembered. Used by one thread.
class Bandwidth {
 public:
  /// Bytes read plus written per nanosecond when `bytes` are touched in all: the best of several
  /// passes that stay in the cache level which holds them.
  double bytes_per_ns(std::size_t bytes);

 private:
  std::map<std::size_t, double> known_;
};

}  // namespace ke
