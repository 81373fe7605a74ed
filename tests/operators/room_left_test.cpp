#include "operators/room_left.hpp"

#include <gtest/gtest.h>

#include "tests/conformance/operator_samples.hpp"

namespace ke {
namespace {

/// All points of the conformance seed: A x B x C with !C || A >= 4, and 2 x 3 flag sets.
std::vector<Kernel> all_points(const Seed& seed) {
  std::vector<Kernel> points;
  Kernel kernel = seed.kernel;
  for (const char* a : {"1", "2", "4", "8"}) {
    for (const char* b : {"x", "y", "z"}) {
      for (const char* c : {"false", "true"}) {
        for (const std::string& unroll : seed.space->flag_genes[0].alternatives) {
          for (const std::string& width : seed.space->flag_genes[1].alternatives) {
            kernel.knobs = {{"A", a}, {"B", b}, {"C", c}};
            kernel.flags = {unroll, width};
            if (seed.space->admits(kernel)) points.push_back(kernel);
          }
        }
      }
    }
  }
  return points;
}

TEST(RoomLeft, ends_with_the_last_admitted_point) {
  const Seed seed = conformance_seed();
  const auto points = all_points(seed);
  SeenSet seen;
  Context context{{&seed, 1}, "", {}};
  context.seen = &seen;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) seen.genomes.insert(points[i].genome_hash());
  EXPECT_TRUE(has_room(seed.space.get(), seed.kernel, Genes::knobs_and_flags, context));
  EXPECT_TRUE(has_room(context.seeds, context));
  seen.genomes.insert(points.back().genome_hash());
  EXPECT_FALSE(has_room(seed.space.get(), seed.kernel, Genes::knobs_and_flags, context));
  EXPECT_FALSE(has_room(context.seeds, context));
}

TEST(RoomLeft, of_knobs_alone_keeps_the_flags) {
  const Seed seed = conformance_seed();
  SeenSet seen;
  Context context{{&seed, 1}, "", {}};
  context.seen = &seen;
  for (const Kernel& point : all_points(seed)) {
    if (point.flags == seed.kernel.flags) seen.genomes.insert(point.genome_hash());
  }
  EXPECT_FALSE(has_room(seed.space.get(), seed.kernel, Genes::knobs, context));
  EXPECT_TRUE(has_room(seed.space.get(), seed.kernel, Genes::knobs_and_flags, context));
}

TEST(RoomLeft, a_kernel_without_declarations_has_none) {
  Kernel bare;
  bare.source = "void kernel();";
  const KernelSpace none;
  EXPECT_FALSE(has_room(nullptr, bare, Genes::knobs_and_flags, {}));
  EXPECT_FALSE(has_room(&none, bare, Genes::knobs_and_flags, {}));
}

TEST(RoomLeft, a_large_space_counts_as_open) {
  const char* source =
      "// @knob A int {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16} = 1\n"
      "// @knob B int {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17} = 1\n";
  const KernelSpace space = *parse_kernel_space("k.cpp", source);
  EXPECT_TRUE(has_room(&space, space.defaults("k.cpp", source), Genes::knobs, {}));
}

bool can_start(std::string_view name, const Context& context, const Candidate* first) {
  return make_operator(name)->can_start(context, first);
}

TEST(CanStart, operators_say_when_nothing_is_left_to_do) {
  const Seed seed = conformance_seed();
  const auto parent = conformance_candidate(seed, seed.kernel, 0);
  SeenSet seen;
  Context context{{&seed, 1}, "", {}};
  context.seen = &seen;
  for (const char* name :
       {"knob_step", "flag_step", "knob_crossover", "random_restart", "surrogate"}) {
    EXPECT_TRUE(can_start(name, context, parent.get())) << name;
  }
  for (const Kernel& point : all_points(seed)) seen.genomes.insert(point.genome_hash());
  for (const char* name :
       {"knob_step", "flag_step", "knob_crossover", "random_restart", "surrogate"}) {
    EXPECT_FALSE(can_start(name, context, parent.get())) << name;
  }
}

TEST(CanStart, a_parent_without_knobs_or_flags_suits_no_step) {
  auto bare = std::make_shared<Candidate>();
  bare->kernel.source = "void kernel();";
  bare->space = std::make_shared<const KernelSpace>();
  for (const char* name : {"knob_step", "flag_step", "knob_crossover"}) {
    EXPECT_FALSE(can_start(name, {}, bare.get())) << name;
  }
  EXPECT_TRUE(can_start("llm_mutation", {}, bare.get()));
}

TEST(CanStart, repair_waits_for_a_kernel_that_failed) {
  const Seed seed = conformance_seed();
  auto works = std::make_shared<Candidate>(*conformance_candidate(seed, seed.kernel, 0));
  works->evaluation.verdict = Verdict::ok;
  auto failed = std::make_shared<Candidate>(*conformance_candidate(seed, seed.kernel, 1));
  failed->evaluation.verdict = Verdict::compile_error;
  auto repair = std::make_shared<Candidate>(*works);
  repair->id = {2, 0, 0};
  repair->ancestors = {{failed->id, ParentRole::failed}};
  Context context;
  std::vector<CandidatePtr> judged{works};
  context.judged = judged;
  EXPECT_FALSE(can_start("llm_repair", context, nullptr));
  judged.push_back(failed);
  context.judged = judged;
  EXPECT_TRUE(can_start("llm_repair", context, nullptr));
  judged.push_back(repair);
  context.judged = judged;
  EXPECT_FALSE(can_start("llm_repair", context, nullptr));
}

}  // namespace
}  // namespace ke
