#include "fitness/timing/cluster.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

const Cluster recorded_cluster{.padding = 0,
                               .order = "ABBABAAB",
                               .samples_ns = {1, 20, 30, 4, 50, 6, 7, 80},
                               .cpu_ns = {1, 2, 3, 4, 5, 6, 7, 8}};

TEST(RecordedCluster, letters_sort_samples_into_arms) {
  const auto quads = quads_of(recorded_cluster);
  ASSERT_TRUE(quads);
  ASSERT_EQ(quads->size(), 2u);
  using Pair = std::array<std::int64_t, 2>;
  EXPECT_EQ(quads->at(0).challenger_ns, (Pair{1, 4}));
  EXPECT_EQ(quads->at(0).opponent_ns, (Pair{20, 30}));
  EXPECT_EQ(quads->at(1).challenger_ns, (Pair{6, 7}));
  EXPECT_EQ(quads->at(1).opponent_ns, (Pair{50, 80}));
}

TEST(RecordedCluster, damaged_records_are_refused) {
  auto damaged = recorded_cluster;
  damaged.order = "ABBAABAB";
  EXPECT_FALSE(quads_of(damaged));
  damaged.order = "ABBA";
  EXPECT_FALSE(quads_of(damaged));
  damaged = recorded_cluster;
  damaged.samples_ns.pop_back();
  damaged.order.pop_back();
  EXPECT_FALSE(quads_of(damaged));
}

}  // namespace
}  // namespace ke
