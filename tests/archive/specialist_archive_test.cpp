#include "archive/specialist_archive.hpp"

#include <gtest/gtest.h>

#include "archive/archives.hpp"
#include "archive/grid.hpp"
#include "core/validation.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

std::unique_ptr<Archive> grid() {
  return std::make_unique<GridArchive>(
      std::vector{Axis::divided({.name = "m", .unit = "", .low = 0, .high = 4, .bins = 4})},
      nullptr);
}

std::unique_ptr<SpecialistArchive> archive_of_both() {
  return std::make_unique<SpecialistArchive>(grid(), grid());
}

/// A kernel with measure `m` and a speedup at validation.
CandidatePtr kernel_at(std::int64_t step, double m, double objective, double validation) {
  auto candidate = std::make_shared<Candidate>();
  candidate->id = {step, 0, 0};
  candidate->evaluation.verdict = Verdict::ok;
  candidate->evaluation.objective = objective;
  candidate->evaluation.measures["m"] = m;
  add_validation(validation, {validation * 0.99, validation * 1.01}, 0.01, candidate->evaluation);
  return candidate;
}

TEST(SpecialistArchive, a_specialist_never_takes_a_generalists_place) {
  const auto archive = archive_of_both();
  const auto generalist = kernel_at(0, 1.5, 1.2, 1.1);
  const auto specialist = kernel_at(1, 1.5, 9.0, 0.2);
  EXPECT_EQ(archive->offer(generalist).cell, 1u);
  const OfferResult added = archive->offer(specialist);
  EXPECT_EQ(added.status, Addition::new_cell);
  EXPECT_EQ(added.cell, 4u + 1u);
  ASSERT_EQ(archive->elites().size(), 2u);
  EXPECT_EQ(archive->elites()[0].candidate, generalist);
  EXPECT_EQ(archive->elites()[1].candidate, specialist);
  EXPECT_EQ(archive->elites()[1].cell, archive->cell_of(*specialist));
}

TEST(SpecialistArchive, each_kind_contends_with_its_own) {
  const auto archive = archive_of_both();
  archive->offer(kernel_at(0, 1.5, 1.2, 1.1));
  archive->offer(kernel_at(1, 1.5, 3.0, 0.2));
  const auto worse = kernel_at(2, 1.5, 2.0, 0.3);
  EXPECT_FALSE(archive->may_enter(*worse));
  EXPECT_EQ(archive->offer(worse).status, Addition::rejected);
  const auto better = kernel_at(3, 1.5, 1.3, 1.0);
  EXPECT_TRUE(archive->may_enter(*better));
  EXPECT_EQ(archive->offer(better).status, Addition::improved);
  EXPECT_EQ(archive->elites().size(), 2u);
}

TEST(SpecialistArchive, its_axes_say_which_half_a_cell_is_in) {
  const auto axes = axes_of(*archive_of_both());
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[0].bins, (std::vector<std::string>{"generalist", "specialist"}));
  EXPECT_EQ(axes[0].bins.size() * axes[1].bins.size(), archive_of_both()->cells());
}

TEST(Archives, may_enter_is_false_only_where_add_rejects) {
  for (const char* kind : {"grid", "cvt", "deep_grid", "score_bucket", "top_k"}) {
    ParamLog log;
    const Node node = test::text_options({{"kind", kind}});
    Params params(&node, "", log);
    AxisInfo axis{.name = "m", .unit = "", .low = 0, .high = 4, .bins = 2};
    const auto archive = read_archive(params, {nullptr, {axis}});
    RandomStream random({1, 0, 0, 0, Purpose::test});
    int refused = 0;
    for (int step = 0; step < 300; ++step) {
      const auto kernel = kernel_at(step, 4 * random.uniform(), 1 + random.uniform(), 1);
      const bool may = archive->may_enter(*kernel);
      const bool entered = archive->offer(kernel).status != Addition::rejected;
      EXPECT_EQ(may, entered) << kind;
      refused += may ? 0 : 1;
    }
    const bool any_victim_falls = std::string(kind) == "deep_grid";
    EXPECT_EQ(refused == 0, any_victim_falls) << kind;
  }
}

}  // namespace
}  // namespace ke
