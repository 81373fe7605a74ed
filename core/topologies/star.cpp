#include "core/registry.hpp"

namespace ke {
namespace {

class Star final : public Topology {
 public:
  std::vector<std::int64_t> sources(std::int64_t island, std::int64_t count) const override {
    if (island != 0) return {0};
    std::vector<std::int64_t> rim;
    for (std::int64_t other = 1; other < count; ++other) rim.push_back(other);
    return rim;
  }
};

}  // namespace

std::unique_ptr<Topology> make_star_topology() { return std::make_unique<Star>(); }

}  // namespace ke
