#include "archive/archives.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "archive/deep.hpp"
#include "archive/grid.hpp"
#include "tests/conformance/archive_suite.hpp"
#include "tests/support/options.hpp"

namespace ke::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const AxisInfo width{"width",
                     "bit",
                     0,
                     512,
                     4,
                     Scale::linear,
                     {{"scalar", 0}, {"128", 128}, {"256", 256}, {"512", 512}}};
const AxisInfo intensity{"intensity", "flop/byte", 0.0625, 16, 4, Scale::logarithmic};

struct GridFixture {
  std::unique_ptr<Archive> make(std::shared_ptr<const AcceptanceRule> rule) {
    return std::make_unique<GridArchive>(
        std::vector{Axis::with_categories(width, width.categories), Axis::divided(intensity)},
        std::move(rule));
  }
  CandidatePtr at(int step, double objective, int n) {
    return candidate_at(step, objective, {{"width", n == 3 ? 512 : 128.0 * n}, {"intensity", 1.0}});
  }
};

std::unique_ptr<Archive> top_k(std::size_t k, std::shared_ptr<const AcceptanceRule> rule) {
  const auto one_group = [](const Candidate&) { return GridPlace{}; };
  return std::make_unique<DeepArchive>(1, k, Victim::worst, one_group, std::move(rule),
                                       std::vector<AxisShape>());
}

// Candidates with equal n have equal builds.
struct TopKFixture {
  std::unique_ptr<Archive> make(std::shared_ptr<const AcceptanceRule> rule) {
    return top_k(4, std::move(rule));
  }
  CandidatePtr at(int step, double objective, int n) {
    auto made = std::make_shared<Candidate>(*candidate_at(step, objective, {}));
    made->evaluation.build_hash = sha256(std::to_string(n));
    return made;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Grid, ArchiveSuite, GridFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(TopK, ArchiveSuite, TopKFixture);

TEST(Axis, linear_bins_have_equal_widths_and_clip_outside) {
  const Axis axis = Axis::divided({"x", "", 0, 10, 5});
  EXPECT_THAT(axis.edges(), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_EQ(axis.bin_of(0).index, 0u);
  EXPECT_EQ(axis.bin_of(1.999).index, 0u);
  EXPECT_EQ(axis.bin_of(2).index, 1u);
  EXPECT_EQ(axis.bin_of(10).index, 4u);
  EXPECT_FALSE(axis.bin_of(10).clipped);
  EXPECT_EQ(axis.bin_of(10.01).index, 4u);
  EXPECT_TRUE(axis.bin_of(10.01).clipped);
  EXPECT_EQ(axis.bin_of(-1).index, 0u);
  EXPECT_TRUE(axis.bin_of(-1).clipped);
  EXPECT_TRUE(axis.bin_of(INFINITY).clipped);
  EXPECT_EQ(axis.bin_of(std::nan("")).index, 0u);
  EXPECT_TRUE(axis.bin_of(std::nan("")).clipped);
}

// 1/16 .. 16 in four bins of equal ratio: edges 1/16, 1/4, 1, 4, 16.
TEST(Axis, logarithmic_bins_have_equal_ratios) {
  const Axis axis = Axis::divided(intensity);
  const std::vector<double> expected = {0.0625, 0.25, 1, 4, 16};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(axis.edges()[i], expected[i], 1e-14);
  EXPECT_EQ(axis.bin_of(0.3).index, 1u);
  EXPECT_EQ(axis.bin_of(5).index, 3u);
  EXPECT_NEAR(axis.position(1), 0.5, 1e-14);
  EXPECT_NEAR(axis.position(0.25), 0.25, 1e-14);
}

TEST(Axis, categories_reach_up_to_the_next_one) {
  const Axis axis = Axis::with_categories(width, width.categories);
  EXPECT_THAT(axis.shape().bins, ElementsAre("scalar", "128", "256", "512"));
  EXPECT_EQ(axis.bin_of(256).index, 2u);
  EXPECT_EQ(axis.bin_of(300).index, 2u);
  EXPECT_EQ(axis.bin_of(512).index, 3u);
  EXPECT_FALSE(axis.bin_of(512).clipped);
  EXPECT_TRUE(axis.bin_of(1024).clipped);
  EXPECT_NEAR(axis.position(256), 2.0 / 3, 1e-15);
}

TEST(Grid, the_last_axis_runs_fastest) {
  GridArchive grid({Axis::divided({"a", "", 0, 3, 3}), Axis::divided({"b", "", 0, 5, 5})}, nullptr);
  EXPECT_EQ(grid.cells(), 15u);
  EXPECT_EQ(grid.cell_of(*candidate_at(0, 1, {{"a", 2.5}, {"b", 3.5}})), 2u * 5 + 3);
  EXPECT_THAT(grid.position(*candidate_at(0, 1, {{"a", 1.5}, {"b", 5}})), ElementsAre(0.5, 1.0));
}

TEST(Grid, counts_clipped_measures_once_a_candidate_and_not_again_after_its_duel) {
  GridArchive grid({Axis::divided({"a", "", 0, 3, 3})}, std::make_shared<NoisyDuelRule>(0.05));
  grid.offer(candidate_at(0, 1, {{"a", 0.5}}));
  EXPECT_EQ(grid.clipped(), 0u);
  const auto outside = candidate_at(1, 1, {{"a", -7}});
  EXPECT_TRUE(grid.offer(outside).clipped);
  grid.offer(outside, Decision::worse);
  EXPECT_EQ(grid.clipped(), 1u);
  const OfferResult missing = grid.offer(candidate_at(2, 1, {}));
  EXPECT_EQ(missing.cell, 0u);
  EXPECT_TRUE(missing.clipped);
  EXPECT_EQ(grid.clipped(), 2u);
}

// [Fontaine2023] with alpha 0.5 and min_f 0: t = 0 -> 1 -> 1.25; 1.1 then fails and 1.3 passes.
TEST(Grid, soft_archive_accepts_above_the_threshold_and_not_above_the_elite) {
  GridArchive grid({}, nullptr, Thresholds(0.5, 0));
  EXPECT_EQ(grid.offer(candidate_at(0, -1, {})).status, Addition::rejected);
  EXPECT_EQ(grid.offer(candidate_at(1, 2, {})).status, Addition::new_cell);
  const OfferResult below_elite = grid.offer(candidate_at(2, 1.5, {}));
  EXPECT_EQ(below_elite.status, Addition::improved);
  EXPECT_DOUBLE_EQ(below_elite.gain, 0.5);
  EXPECT_EQ(grid.offer(candidate_at(3, 1.1, {})).status, Addition::rejected);
  EXPECT_EQ(grid.offer(candidate_at(4, 1.3, {})).status, Addition::improved);
}

TEST(TopK, the_weakest_and_youngest_falls_first) {
  const auto archive = top_k(2, nullptr);
  Archive& top = *archive;
  top.offer(candidate_at(0, 1, {}));
  top.offer(candidate_at(1, 1, {}));
  const OfferResult added = top.offer(candidate_at(2, 3, {}));
  EXPECT_EQ(added.status, Addition::improved);
  EXPECT_EQ(added.cell, 1u);
  EXPECT_EQ(added.incumbent->id.step, 1);
  EXPECT_EQ(top.offer(candidate_at(3, 0.5, {})).status, Addition::rejected);
}

TEST(Metrics, coverage_is_the_share_of_filled_cells) {
  GridArchive grid({}, nullptr);
  grid.offer(candidate_at(0, 3, {}));
  EXPECT_DOUBLE_EQ(coverage(grid), 1);
}

// --- reading

struct Reading {
  std::unique_ptr<Archive> archive;
  std::vector<std::string> errors;
};

Reading reading_of(const Node& root) {
  ParamLog log;
  Params params(&root, "archive", log);
  Reading reading;
  reading.archive = read_archive(params, {nullptr, {width, intensity}});
  log.report_unknown();
  reading.errors = log.errors;
  return reading;
}

Reading read_axis_map(const std::map<std::string, Node>& entries) {
  Node axes = list({});
  axes.items.push_back(options(entries));
  return reading_of(options({{"axes", axes}}));
}

TEST(ReadArchive, takes_all_declared_axes_by_default) {
  const Reading reading = reading_of({});
  EXPECT_THAT(reading.errors, ElementsAre());
  EXPECT_EQ(reading.archive->cells(), 16u);
  const auto shapes = axes_of(*reading.archive);
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[1].measure, "intensity");
  EXPECT_EQ(shapes[1].unit, "flop/byte");
  EXPECT_EQ(shapes[1].bins[0], "[0.0625, 0.25)");
}

TEST(ReadArchive, reads_top_k) {
  const Reading reading = reading_of(text_options({{"kind", "top_k"}, {"k", "3"}}));
  EXPECT_THAT(reading.errors, ElementsAre());
  EXPECT_EQ(reading.archive->cells(), 3u);
}

TEST(ReadArchive, reads_labels_edges_and_counts) {
  auto labels = read_axis_map({{"measure", scalar("width")}, {"bins", list({"scalar", "512"})}});
  EXPECT_THAT(labels.errors, ElementsAre());
  EXPECT_EQ(labels.archive->cells(), 2u);
  auto edges = read_axis_map({{"measure", scalar("intensity")}, {"bins", list({"0", "1", "2.5"})}});
  EXPECT_THAT(edges.errors, ElementsAre());
  EXPECT_EQ(edges.archive->cells(), 2u);
  auto count = read_axis_map({{"measure", scalar("intensity")}, {"bins", scalar("6")}});
  EXPECT_THAT(count.errors, ElementsAre());
  EXPECT_EQ(count.archive->cells(), 6u);
}

TEST(ReadArchive, says_what_is_wrong) {
  const auto error = [](const std::map<std::string, Node>& entries) {
    const auto errors = read_axis_map(entries).errors;
    return errors.size() == 1 ? errors[0] : std::to_string(errors.size()) + " errors";
  };
  EXPECT_THAT(error({{"measure", scalar("widthh")}}), HasSubstr("did you mean 'width'?"));
  EXPECT_THAT(error({{"measure", scalar("width")}, {"bins", list({"64"})}}),
              HasSubstr("'64' is no value of 'width' (values: scalar, 128, 256, 512)"));
  EXPECT_THAT(error({{"measure", scalar("intensity")}, {"bins", scalar("0")}}),
              HasSubstr("bins' = 0 is outside [1, 10000]"));
  EXPECT_THAT(error({{"measure", scalar("intensity")}, {"low", scalar("-1")}}),
              HasSubstr("low' = -1: a logarithmic axis begins above 0; set scale: linear"));
  EXPECT_THAT(error({{"measure", scalar("intensity")}, {"low", scalar("99")}}),
              HasSubstr("low' = 99 is not below 'high' = "));
  EXPECT_THAT(error({{"measure", scalar("intensity")}, {"bins", list({"2", "1"})}}),
              HasSubstr("edge '1' that is no number above the one before"));
}

}  // namespace
}  // namespace ke::test
