#include "fitness/timing/cluster.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ke {
namespace {

Quad quad_with_speedup(double speedup) {
  const auto slow = static_cast<std::int64_t>(1'000'000.0 * speedup);
  return Quad{.challenger_ns = {1'000'000, 1'000'000}, .opponent_ns = {slow, slow}};
}

TEST(Quad, both_orders_sort_their_spans_into_the_same_arms) {
  const Quad abba = make_quad(QuadOrder::abba, {100, 51, 52, 104});
  const Quad baab = make_quad(QuadOrder::baab, {51, 100, 104, 52});
  EXPECT_EQ(abba.challenger_ns, (std::array<std::int64_t, 2>{100, 104}));
  EXPECT_EQ(abba.opponent_ns, (std::array<std::int64_t, 2>{51, 52}));
  EXPECT_EQ(abba.challenger_ns, baab.challenger_ns);
  EXPECT_EQ(abba.opponent_ns, baab.opponent_ns);
}

TEST(Quad, log_ratio_is_positive_when_the_challenger_is_faster) {
  EXPECT_NEAR(log_ratio(Quad{.challenger_ns = {100, 400}, .opponent_ns = {200, 800}}),
              std::log(2.0), 1e-15);
  EXPECT_NEAR(log_ratio(Quad{.challenger_ns = {200, 800}, .opponent_ns = {100, 400}}),
              -std::log(2.0), 1e-15);
}

TEST(Quad, geometric_drift_and_a_constant_lead_of_the_second_arm_cancel) {
  // The core slows by 3 % per sample: 1, r, r^2, r^3 times the same kernel.
  const auto at = [](int i) { return static_cast<std::int64_t>(1e9 * std::pow(1.03, i)); };
  EXPECT_NEAR(log_ratio(make_quad(QuadOrder::abba, {at(0), at(1), at(2), at(3)})), 0.0, 1e-8);
  // The second sample of each pair runs 3 % faster: A B' B A', where B' and A' are the fast ones.
  EXPECT_NEAR(log_ratio(make_quad(QuadOrder::abba, {1000, 970, 1000, 970})), 0.0, 1e-15);
}

TEST(Quad, spans_at_or_below_zero_are_not_measurable) {
  EXPECT_TRUE(is_measurable(Quad{{1, 1}, {1, 1}}));
  EXPECT_FALSE(is_measurable(Quad{{1, 1}, {1, 0}}));
  EXPECT_FALSE(is_measurable(Quad{{-5, 1}, {1, 1}}));
}

TEST(Cluster, first_quad_is_dropped) {
  std::vector<Quad> quads(13, quad_with_speedup(1.05));
  quads[0] = quad_with_speedup(9.0);
  const auto cluster = estimate_cluster(quads);
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->quads, 12);
  EXPECT_NEAR(cluster->log_ratio, std::log(1.05), 1e-12);
  EXPECT_NEAR(cluster->quad_spread, 0.0, 1e-15);
}

TEST(Cluster, an_unmeasurable_first_quad_does_no_harm_a_later_one_does) {
  std::vector<Quad> quads(5, quad_with_speedup(1.0));
  quads[0].challenger_ns[0] = 0;
  EXPECT_TRUE(estimate_cluster(quads));
  quads[3].opponent_ns[1] = -1;
  EXPECT_FALSE(estimate_cluster(quads));
}

TEST(Cluster, too_few_quads_are_no_estimate) {
  const std::vector<Quad> quads(4, quad_with_speedup(1.0));
  EXPECT_FALSE(estimate_cluster(quads));
  EXPECT_TRUE(estimate_cluster(quads, {.dropped = 0, .least_quads = 4}));
}

TEST(Cluster, workloads_of_one_pair_combine_to_their_geometric_mean) {
  const std::vector<ClusterEstimate> workloads{{std::log(2.0), 12, 0.03},
                                               {std::log(8.0), 11, 0.04}};
  const auto equal = combine_workloads(workloads);
  EXPECT_NEAR(std::exp(equal.log_ratio), 4.0, 1e-13);
  EXPECT_NEAR(equal.quad_spread, 0.025, 1e-15);
  EXPECT_EQ(equal.quads, 11);
}

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
