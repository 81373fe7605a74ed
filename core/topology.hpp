#pragma once
// The topology interface: the islands from which an island receives migrants.

#include <cstdint>
#include <memory>
#include <vector>

namespace ke {

class Topology {
 public:
  virtual ~Topology() = default;
  /// The islands that send migrants to `island` among `count` islands; ascending, never itself.
  virtual std::vector<std::int64_t> sources(std::int64_t island, std::int64_t count) const = 0;
};

}  // namespace ke
