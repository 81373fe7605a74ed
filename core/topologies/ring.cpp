#include "core/registry.hpp"

namespace ke {
namespace {

class Ring final : public Topology {
 public:
  std::vector<std::int64_t> sources(std::int64_t island, std::int64_t count) const override {
    if (count < 2) return {};
    return {(island + count - 1) % count};
  }
};

}  // namespace

std::unique_ptr<Topology> make_ring_topology() { return std::make_unique<Ring>(); }

}  // namespace ke
