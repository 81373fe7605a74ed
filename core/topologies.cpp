#include <set>

#include "core/registry.hpp"

namespace ke {
namespace {

using Islands = std::vector<std::int64_t>;

Islands complete(std::int64_t island, std::int64_t count) {
  Islands sources;
  for (std::int64_t other = 0; other < count; ++other) {
    if (other != island) sources.push_back(other);
  }
  return sources;
}

Islands none(std::int64_t, std::int64_t) { return {}; }

Islands ring(std::int64_t island, std::int64_t count) {
  if (count < 2) return {};
  return {(island + count - 1) % count};
}

Islands star(std::int64_t island, std::int64_t count) {
  return island == 0 ? complete(0, count) : Islands{0};
}

/// Rows of the most nearly square grid with `count` islands; a prime count gives one row, a ring.
std::int64_t rows_of(std::int64_t count) {
  std::int64_t rows = 1;
  for (std::int64_t r = 1; r * r <= count; ++r) {
    if (count % r == 0) rows = r;
  }
  return rows;
}

Islands torus(std::int64_t island, std::int64_t count) {
  const std::int64_t rows = rows_of(count);
  const std::int64_t cols = count / rows;
  const std::int64_t r = island / cols;
  const std::int64_t c = island % cols;
  std::set<std::int64_t> near = {(r + 1) % rows * cols + c, (r + rows - 1) % rows * cols + c,
                                 r * cols + (c + 1) % cols, r * cols + (c + cols - 1) % cols};
  near.erase(island);
  return {near.begin(), near.end()};
}

constexpr Component<Topology> table_of_topologies[] = {
    {"complete", "every island receives from all others", complete},
    {"none", "no migration", none},
    {"ring", "each island receives from the one before it", ring},
    {"star", "island 0 receives from all, all receive from island 0", star},
    {"torus", "islands on a two-dimensional torus receive from their neighbours", torus}};

}  // namespace

std::span<const Component<Topology>> topologies() { return table_of_topologies; }

}  // namespace ke
