#pragma once
// Memory bandwidth of this core by working-set size: the roofline of the floor.

#include <cstddef>
#include <map>

namespace ke {

/// Read-and-write streams, measured on first use and remembered. Used by one thread.
class Bandwidth {
 public:
  /// Bytes read plus written per nanosecond with a working set of `bytes`: the best of several
  /// passes that stay in the cache level which holds it.
  double bytes_per_ns(std::size_t bytes);

 private:
  std::map<std::size_t, double> known_;
};

}  // namespace ke
