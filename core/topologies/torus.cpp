#include <set>

#include "core/registry.hpp"

namespace ke {
namespace {

/// Rows of the most nearly square grid with `count` islands; a prime count gives one row, a ring.
std::int64_t rows_of(std::int64_t count) {
  std::int64_t rows = 1;
  for (std::int64_t r = 1; r * r <= count; ++r) {
    if (count % r == 0) rows = r;
  }
  return rows;
}

class Torus final : public Topology {
 public:
  std::vector<std::int64_t> sources(std::int64_t island, std::int64_t count) const override {
    const std::int64_t rows = rows_of(count);
    const std::int64_t cols = count / rows;
    const std::int64_t r = island / cols;
    const std::int64_t c = island % cols;
    std::set<std::int64_t> near = {(r + 1) % rows * cols + c, (r + rows - 1) % rows * cols + c,
                                   r * cols + (c + 1) % cols, r * cols + (c + cols - 1) % cols};
    near.erase(island);
    return {near.begin(), near.end()};
  }
};

}  // namespace

std::unique_ptr<Topology> make_torus_topology() { return std::make_unique<Torus>(); }

}  // namespace ke
