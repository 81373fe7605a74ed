// Archives with centroids or several elites per cell.

#include <gmock/gmock.h>

#include <cmath>

#include "archive/archives.hpp"
#include "archive/cvt.hpp"
#include "archive/deep.hpp"
#include "archive/grid.hpp"
#include "core/random_stream.hpp"
#include "tests/conformance/archive_suite.hpp"
#include "tests/support/options.hpp"

namespace ke::test {
namespace {

using testing::ElementsAre;

std::vector<Axis> square() {
  return {Axis::divided({"a", "", 0, 1, 2}), Axis::divided({"b", "", 0, 1, 2})};
}

const std::vector<double> corners = {0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75};

struct CvtFixture {
  std::unique_ptr<Archive> make(std::shared_ptr<const AcceptanceRule> rule) {
    return std::make_unique<CvtArchive>(square(), corners, std::move(rule));
  }
  CandidatePtr at(int step, double objective, int n) {
    return candidate_at(step, objective, {{"a", n / 2}, {"b", n % 2}});
  }
};

// Candidates with equal n have equal builds, which compete for one place.
struct DeepFixture {
  std::unique_ptr<Archive> make(std::shared_ptr<const AcceptanceRule> rule) {
    const auto axes = square();
    return std::make_unique<DeepArchive>(
        4, 2, Victim::random,
        [axes](const Candidate& candidate) { return place_on(axes, candidate); }, std::move(rule),
        std::vector<AxisShape>());
  }
  CandidatePtr at(int step, double objective, int n) {
    auto made = candidate_at(step, objective, {{"a", n / 2}, {"b", n % 2}});
    made->evaluation.build_hash = sha256(std::to_string(n));
    return made;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Cvt, ArchiveSuite, CvtFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Deep, ArchiveSuite, DeepFixture);

TEST(NearestPoint, finds_what_a_comparison_with_all_finds) {
  RandomStream random({11, 0, 0, 0, Purpose::test});
  for (const std::size_t dimensions : {1u, 2u, 3u, 6u}) {
    std::vector<double> points(200 * dimensions);
    // Coarse coordinates produce many equal distances.
    for (double& x : points) x = static_cast<double>(random.below(5)) / 4;
    const NearestPoint tree(points, dimensions);
    for (int i = 0; i < 500; ++i) {
      std::vector<double> where(dimensions);
      for (double& x : where) x = static_cast<double>(random.below(9)) / 8;
      std::size_t best = 0;
      double least = 1e300;
      for (std::size_t p = 0; p < 200; ++p) {
        double distance = 0;
        for (std::size_t d = 0; d < dimensions; ++d) {
          distance += std::pow(points[p * dimensions + d] - where[d], 2);
        }
        if (distance < least) best = p;
        least = std::min(least, distance);
      }
      EXPECT_EQ(tree.find(where), best);
    }
  }
}

// On a line, k centroids of a uniform sample lie near (2 i + 1) / 2 k.
TEST(Centroids, spread_evenly_and_follow_from_the_seed) {
  auto centroids = make_centroids(4, 1, 1, 200);
  EXPECT_EQ(centroids, make_centroids(4, 1, 1, 200));
  EXPECT_NE(centroids, make_centroids(4, 1, 2, 200));
  std::sort(centroids.begin(), centroids.end());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(centroids[i], (2.0 * static_cast<double>(i) + 1) / 8, 0.08);
  }
}

TEST(Cvt, counts_clipped_measures_and_describes_its_centroids) {
  CvtArchive archive(square(), corners, nullptr);
  EXPECT_TRUE(archive.offer(candidate_at(0, 1, {{"a", 2}, {"b", 0.9}})).clipped);
  EXPECT_EQ(archive.elites()[0].cell, 3u);
  EXPECT_EQ(archive.clipped(), 1u);
  EXPECT_EQ(archive.shape().measure, "cvt(a, b)");
  EXPECT_THAT(archive.shape().bins,
              ElementsAre("(0.25, 0.25)", "(0.25, 0.75)", "(0.75, 0.25)", "(0.75, 0.75)"));
}

TEST(DeepGrid, fills_a_cell_then_a_newcomer_takes_any_place) {
  const auto axes = square();
  const auto group = [axes](const Candidate& c) { return place_on(axes, c); };
  DeepArchive archive(4, 3, Victim::random, group, nullptr, {});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(archive.offer(candidate_at(i, 5, {{"a", 1}, {"b", 0}})).status, Addition::new_cell);
  }
  std::array<int, 3> fallen{};
  for (int i = 3; i < 603; ++i) {
    const OfferResult added = archive.offer(candidate_at(i, 1, {{"a", 1}, {"b", 0}}));
    EXPECT_EQ(added.status, Addition::improved);  // even a weak one
    ++fallen.at(added.cell - 6);
  }
  for (const int count : fallen) EXPECT_NEAR(count, 200, 60);
}

TEST(DeepGrid, with_replace_worst_only_the_better_enters) {
  const auto axes = square();
  const auto group = [axes](const Candidate& c) { return place_on(axes, c); };
  DeepArchive archive(4, 2, Victim::worst, group, nullptr, {});
  archive.offer(candidate_at(0, 3, {{"a", 0}, {"b", 0}}));
  archive.offer(candidate_at(1, 2, {{"a", 0}, {"b", 0}}));
  EXPECT_EQ(archive.offer(candidate_at(2, 1.5, {{"a", 0}, {"b", 0}})).status, Addition::rejected);
  const OfferResult added = archive.offer(candidate_at(3, 2.5, {{"a", 0}, {"b", 0}}));
  EXPECT_EQ(added.status, Addition::improved);
  EXPECT_EQ(added.incumbent->id.step, 1);
  EXPECT_EQ(archive.elites().size(), 2u);
}

std::unique_ptr<Archive> archive_of(const std::map<std::string, std::string>& values,
                                    std::vector<std::string>& errors) {
  const Node root = text_options(values);
  ParamLog log;
  Params params(&root, "archive", log);
  auto archive = read_archive(params, {nullptr, {{"a", "", 0, 1, 4}, {"b", "", 0, 1, 3}}});
  log.report_unknown();
  errors = log.errors;
  return archive;
}

std::size_t count_of(const std::vector<AxisShape>& shapes) {
  std::size_t cells = 1;
  for (const AxisShape& shape : shapes) cells *= shape.bins.size();
  return cells;
}

TEST(ReadArchive, reads_and_describes_every_kind) {
  std::vector<std::string> errors;
  const auto cvt = archive_of({{"kind", "cvt"}, {"cells", "10"}}, errors);
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(cvt->cells(), 10u);
  const auto deep = archive_of({{"kind", "deep_grid"}, {"depth", "5"}}, errors);
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(deep->cells(), 60u);
  const auto buckets =
      archive_of({{"kind", "score_bucket"}, {"buckets", "6"}, {"depth", "2"}}, errors);
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(buckets->cells(), 12u);
  for (const Archive* archive : {cvt.get(), deep.get(), buckets.get()}) {
    EXPECT_EQ(count_of(axes_of(*archive)), archive->cells());
  }
  archive_of({{"kind", "score_bucket"}, {"low", "4"}, {"high", "2"}}, errors);
  EXPECT_THAT(errors, ElementsAre(testing::HasSubstr("must be above 'low'")));
}

TEST(ScoreBucket, keeps_kernels_of_each_range_of_the_objective) {
  std::vector<std::string> errors;
  const auto archive = archive_of(
      {{"kind", "score_bucket"}, {"buckets", "3"}, {"low", "1"}, {"high", "8"}, {"depth", "2"}},
      errors);
  for (const auto& [step, objective] : std::vector<std::pair<int, double>>{
           {0, 1.5}, {1, 3}, {2, 7}, {3, 7.5}, {4, 7.25}, {5, 90}}) {
    archive->offer(candidate_at(step, objective, {}));
  }
  std::vector<double> kept;
  for (const Elite& elite : archive->elites())
    kept.push_back(elite.candidate->evaluation.objective);
  // 7 dropped to 7.25. 90 has no bucket of its own, so it counts in the last one, as clipped.
  EXPECT_THAT(kept, ElementsAre(1.5, 3, 90, 7.5));
  EXPECT_EQ(archive->clipped(), 1u);
}

}  // namespace
}  // namespace ke::test
