// Diversity of an archive against closed forms.

#include "experiments/view/report/data/diversity.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace ke {
namespace {

using ::testing::DoubleNear;
constexpr double exact = 1e-12;

// Runs of four tokens: {abcd, bcde}, {abcd, bcdf} and {uvwx}.
const std::vector<std::string> three_sources = {"a b c d e", "a  b c d /* same */ f", "u v w x"};

TEST(Diversity, spread_and_entropy_equal_their_closed_forms) {
  const std::vector<std::vector<double>> square = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  EXPECT_NEAR(descriptor_spread(square), (4 + 2 * std::sqrt(2.0)) / 6, 1e-15);
  EXPECT_EQ(descriptor_spread(std::vector<std::vector<double>>{{1.0}}), 0);
  EXPECT_NEAR(cell_entropy(std::vector<std::int64_t>{5, 5, 5, 5}, 4), 1, 1e-15);
  EXPECT_NEAR(cell_entropy(std::vector<std::int64_t>{1, 1}, 16), 0.25, 1e-15);
  EXPECT_EQ(cell_entropy(std::vector<std::int64_t>{7}, 16), 0);
}

TEST(CodeDistance, is_one_minus_the_share_of_common_runs_of_four_tokens) {
  CodeDistances distances(three_sources);
  EXPECT_THAT(distances.between(0, 1), DoubleNear(1 - 1.0 / 3, exact));
  EXPECT_THAT(distances.between(1, 0), DoubleNear(1 - 1.0 / 3, exact));
  EXPECT_EQ(distances.between(0, 2), 1);
  EXPECT_EQ(distances.between(2, 2), 0);
}

TEST(CodeDistance, mean_is_over_all_pairs_of_kernels) {
  CodeDistances distances(three_sources);
  EXPECT_EQ(distances.mean({}), 0);
  EXPECT_EQ(distances.mean({{0, 1}}), 0);
  EXPECT_EQ(distances.mean({{0, 5}}), 0);
  // One of six pairs is equal, two are 2/3 apart, three are 1 apart.
  EXPECT_THAT(distances.mean({{0, 2}, {1, 1}, {2, 1}}), DoubleNear((2 * 2.0 / 3 + 3) / 6, exact));
}

TEST(CodeDistance, is_unknown_where_there_are_too_many_sources) {
  const std::vector<std::string> sources(1001, "x");
  std::map<std::int64_t, std::int64_t> counts;
  for (std::int64_t source = 0; source < 1001; ++source) counts[source] = 1;
  EXPECT_TRUE(std::isnan(CodeDistances(sources).mean(counts)));
}

/// Three steps: elites of sources 0 and 2 enter cells 0 and 3, then one of source 1 replaces that
/// of cell 0.
RunRows rows_of_three_steps() {
  RunRows rows;
  rows.steps = 3;
  rows.sources = three_sources;
  const std::int64_t sources[] = {0, 2, 1};
  const std::int64_t cells[] = {0, 3, 0};
  for (std::int64_t i = 0; i < 3; ++i) {
    GenomeRow genome;
    genome.source = sources[i];
    rows.genomes.push_back(genome);
    CandidateRow candidate;
    candidate.step_index = i;
    candidate.genome = i;
    candidate.build = i + 1;
    candidate.cell = cells[i];
    rows.candidates.push_back(candidate);
    ArchiveEventRow event;
    event.step_index = i;
    event.island = -1;
    event.challenger = i;
    event.cell = cells[i];
    event.status = i < 2 ? "new_cell" : "improved";
    rows.events.push_back(event);
  }
  return rows;
}

TEST(Diversity, follows_the_elites_of_the_common_archive) {
  AxisShape axis;
  axis.bins = {"a", "b", "c", "d"};
  const auto points = diversity_points(rows_of_three_steps(), {axis});
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].code, 0);
  EXPECT_EQ(points[1].code, 1);                            // sources 0 and 2
  EXPECT_EQ(points[2].code, 1);                            // sources 1 and 2
  EXPECT_THAT(points[1].spread, DoubleNear(0.75, exact));  // from 1/8 to 7/8
  EXPECT_EQ(points[2].binaries, 2u);
  // Three visits: two to one cell of four, one to another.
  const double entropy = -(2.0 / 3 * std::log(2.0 / 3) + 1.0 / 3 * std::log(1.0 / 3)) / std::log(4);
  EXPECT_THAT(points[2].entropy, DoubleNear(entropy, exact));
}

}  // namespace
}  // namespace ke
