#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "operators/registry.hpp"
#include "tests/conformance/operator_conformance.hpp"

namespace ke {
namespace {

INSTANTIATE_TEST_SUITE_P(All, OperatorConformance, testing::ValuesIn(component_names(operators())),
                         [](const auto& c) { return c.param; });

/// Kernels from `count` streams; counts refusals by reason.
std::vector<Kernel> children(const Operator& op, const std::vector<Parent>& parents, int count,
                             std::map<std::string, int>& refusals) {
  const Seed seed = conformance_seed();
  std::vector<Kernel> kernels;
  for (int i = 0; i < count; ++i) {
    RandomStream random({static_cast<std::uint64_t>(i), 0, 1, 0, Purpose::vary});
    Outcome outcome = op.start(parents, Context{{&seed, 1}, "", {1, 0, 0}}, random);
    if (auto* made = std::get_if<HashedKernel>(&outcome)) {
      EXPECT_EQ(made->genome_hash, made->kernel.genome_hash());
      kernels.push_back(std::move(made->kernel));
    }
    if (auto* none = std::get_if<NoChild>(&outcome)) ++refusals[none->reason];
  }
  return kernels;
}

TEST(KnobStep, always_changes_a_knob_and_never_a_flag) {
  const Seed seed = conformance_seed();
  std::map<std::string, int> refusals;
  const auto kernels = children(*make_operator("knob_step"),
                                {{conformance_candidate(seed, seed.kernel, 0), {}}}, 300, refusals);
  EXPECT_EQ(kernels.size(), 300u);
  for (const Kernel& kernel : kernels) {
    EXPECT_NE(kernel.knobs, seed.kernel.knobs);
    EXPECT_EQ(kernel.flags, seed.kernel.flags);
  }
}

TEST(KnobStep, reaches_the_whole_space_from_its_corner) {
  const Seed seed = conformance_seed();
  const auto op = make_operator("knob_step");
  std::set<std::map<std::string, std::string>> seen = {seed.kernel.knobs};
  Kernel at = seed.kernel;
  for (int i = 0; i < 3000; ++i) {
    RandomStream random({static_cast<std::uint64_t>(i), 0, 1, 0, Purpose::vary});
    const std::vector<Parent> parents = {{conformance_candidate(seed, at, 0), {}}};
    const Outcome outcome = op->start(parents, Context{{&seed, 1}, "", {}}, random);
    at = std::get<HashedKernel>(outcome).kernel;
    seen.insert(at.knobs);
  }
  EXPECT_EQ(seen.size(), 4u * 3 + 2 * 3);  // A x B without C, and A in {4, 8} x B with C
}

TEST(FlagStep, changes_one_flag_gene_and_no_knob) {
  const Seed seed = conformance_seed();
  std::map<std::string, int> refusals;
  const auto kernels = children(*make_operator("flag_step"),
                                {{conformance_candidate(seed, seed.kernel, 0), {}}}, 100, refusals);
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(kernel.knobs, seed.kernel.knobs);
    int changed = 0;
    for (std::size_t g = 0; g < kernel.flags.size(); ++g) {
      changed += kernel.flags[g] != seed.kernel.flags[g] ? 1 : 0;
    }
    EXPECT_EQ(changed, 1);
  }
}

TEST(KnobCrossover, every_gene_stems_from_a_parent) {
  const Seed seed = conformance_seed();
  Kernel other = seed.kernel;
  other.knobs = {{"A", "8"}, {"B", "z"}, {"C", "true"}};
  other.flags = {"-funroll-loops", "-mprefer-vector-width=512"};
  std::map<std::string, int> refusals;
  const auto kernels = children(*make_operator("knob_crossover"),
                                {{conformance_candidate(seed, seed.kernel, 0), {}},
                                 {conformance_candidate(seed, other, 1), {}}},
                                300, refusals);
  std::set<Digest> seen;
  for (const Kernel& kernel : kernels) {
    for (const auto& [name, value] : kernel.knobs) {
      EXPECT_TRUE(value == seed.kernel.knobs.at(name) || value == other.knobs.at(name));
    }
    EXPECT_NE(kernel.genome_hash(), seed.kernel.genome_hash());
    EXPECT_NE(kernel.genome_hash(), other.genome_hash());
    seen.insert(kernel.genome_hash());
  }
  EXPECT_EQ(seen.size(), 32u - 2 - 8);  // C with A = 2 is not admitted: 2 x 2 x 2 points
}

/// A space of two points.
class TwoPoints final : public PointSet {
 public:
  TwoPoints(Positions one, Positions other) : one_(std::move(one)), other_(std::move(other)) {}
  bool contains(std::span<const std::uint16_t> positions) const override {
    return std::ranges::equal(positions, one_) || std::ranges::equal(positions, other_);
  }
  void draw(Kernel&, RandomStream&) const override {}

 private:
  Positions one_;
  Positions other_;
};

TEST(KnobCrossover, finds_nothing_between_the_points_of_a_sparse_space) {
  Seed seed = conformance_seed();
  Kernel other = seed.kernel;
  other.knobs = {{"A", "8"}, {"B", "z"}, {"C", "false"}};
  KernelSpace space = *seed.space;
  space.points = std::make_shared<TwoPoints>(space.positions(seed.kernel), space.positions(other));
  seed.space = std::make_shared<KernelSpace>(std::move(space));
  std::map<std::string, int> refusals;
  const CandidatePtr mother = conformance_candidate(seed, seed.kernel, 0);
  const CandidatePtr father = conformance_candidate(seed, other, 1);
  EXPECT_TRUE(children(*make_operator("knob_crossover"), {{mother, {}}, {father, {}}}, 5, refusals)
                  .empty());
  EXPECT_EQ(refusals, (std::map<std::string, int>{{"unchanged", 5}}));
}

TEST(KnobCrossover, refuses_parents_of_different_sources_and_twins) {
  const Seed seed = conformance_seed();
  Kernel foreign = seed.kernel;
  foreign.source += "// changed\n";
  std::map<std::string, int> refusals;
  const auto op = make_operator("knob_crossover");
  const CandidatePtr one = conformance_candidate(seed, seed.kernel, 0);
  EXPECT_TRUE(children(*op, {{one, {}}, {conformance_candidate(seed, foreign, 1), {}}}, 5, refusals)
                  .empty());
  EXPECT_TRUE(children(*op, {{one, {}}, {one, {}}}, 5, refusals).empty());
  EXPECT_EQ(refusals, (std::map<std::string, int>{{"different_sources", 5}, {"unchanged", 5}}));
}

}  // namespace
}  // namespace ke
