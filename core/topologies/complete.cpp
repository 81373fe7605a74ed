#include "core/registry.hpp"

namespace ke {
namespace {

class Complete final : public Topology {
 public:
  std::vector<std::int64_t> sources(std::int64_t island, std::int64_t count) const override {
    std::vector<std::int64_t> sources;
    for (std::int64_t other = 0; other < count; ++other) {
      if (other != island) sources.push_back(other);
    }
    return sources;
  }
};

}  // namespace

std::unique_ptr<Topology> make_complete_topology() { return std::make_unique<Complete>(); }

}  // namespace ke
