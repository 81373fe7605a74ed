#include <gtest/gtest.h>

#include "core/registry.hpp"

namespace ke {
namespace {

using Ids = std::vector<std::int64_t>;

Ids sources(std::string_view name, std::int64_t island, std::int64_t count) {
  return find_component(topologies(), name)->make(island, count);
}

TEST(Topology, sources_follow_the_drawings) {
  EXPECT_EQ(sources("ring", 0, 4), Ids{3});
  EXPECT_EQ(sources("ring", 3, 4), Ids{2});
  EXPECT_EQ(sources("star", 0, 4), (Ids{1, 2, 3}));
  EXPECT_EQ(sources("star", 2, 4), Ids{0});
  EXPECT_EQ(sources("complete", 1, 3), (Ids{0, 2}));
  EXPECT_EQ(sources("none", 1, 3), Ids{});
  EXPECT_EQ(sources("torus", 4, 9), (Ids{1, 3, 5, 7}));
  EXPECT_EQ(sources("torus", 0, 5), (Ids{1, 4}));
}

TEST(Topology, nobody_receives_from_itself_or_from_outside) {
  for (const auto& row : topologies()) {
    for (std::int64_t count = 1; count <= 12; ++count) {
      for (std::int64_t island = 0; island < count; ++island) {
        const Ids list = row.make(island, count);
        for (std::size_t i = 0; i < list.size(); ++i) {
          EXPECT_TRUE(list[i] >= 0 && list[i] < count && list[i] != island) << row.name;
          if (i > 0) {
            EXPECT_LT(list[i - 1], list[i]) << row.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ke
