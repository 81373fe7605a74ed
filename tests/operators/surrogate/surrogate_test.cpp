#include <gtest/gtest.h>

#include "tests/conformance/operator_samples.hpp"

namespace ke {
namespace {

/// 16 x 16 x 2 points; f has one peak at A = 11, B = 4, C = true.
struct Landscape {
  Landscape() {
    std::string list;
    for (int i = 0; i < 16; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
    source = "// @knob A int {" + list + "} = 0\n// @knob B int {" + list +
             "} = 0\n// @knob C bool = false\n// @require A + B < 24\n";
    seed.space = std::make_shared<const KernelSpace>(*parse_kernel_space("k.cpp", source));
    seed.kernel = seed.space->defaults("k.cpp", source);
  }
  static double objective(const Kernel& kernel) {
    const double a = std::stod(kernel.knobs.at("A")) - 11;
    const double b = std::stod(kernel.knobs.at("B")) - 4;
    return (kernel.knobs.at("C") == "true" ? 2 : 1) / (1 + (a * a + b * b) / 20);
  }
  std::string source;
  Seed seed;
};

/// Best objective after `steps` proposals of the operator on an empty island.
double play(const Operator& op, std::uint64_t seed, std::int64_t steps, double failures = 0) {
  const Landscape landscape;
  SeenSet seen;
  std::vector<CandidatePtr> judged;
  double best = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    RandomStream random({seed, 0, step, 0, Purpose::vary});
    Context context{{&landscape.seed, 1}, "", {step, 0, 0}};
    context.seen = &seen;
    context.judged = judged;
    const Outcome outcome = op.start({}, context, random);
    const auto* made = std::get_if<HashedKernel>(&outcome);
    if (made == nullptr) continue;
    const Kernel* kernel = &made->kernel;
    EXPECT_TRUE(landscape.seed.space->admits(*kernel));
    EXPECT_TRUE(seen.genomes.insert(kernel->genome_hash()).second) << "proposed twice";
    auto candidate = std::make_shared<Candidate>();
    candidate->kernel = *kernel;
    candidate->space = landscape.seed.space;
    const bool works = random.uniform() >= failures;
    candidate->evaluation.verdict = works ? Verdict::ok : Verdict::wrong_result;
    candidate->evaluation.objective = works ? Landscape::objective(*kernel) : 0;
    best = std::max(best, candidate->evaluation.objective);
    judged.push_back(candidate);
  }
  return best;
}

TEST(Surrogate, finds_a_peak_that_random_search_misses) {
  const auto surrogate = make_operator("surrogate");
  const auto random = make_operator("random_restart");
  int wins = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_GE(play(*surrogate, seed, 60), 1.9) << seed;
    wins += play(*surrogate, seed, 60) > play(*random, seed, 60) ? 1 : 0;
  }
  EXPECT_GE(wins, 9);
}

TEST(Surrogate, learns_although_kernels_fail) {
  EXPECT_GE(play(*make_operator("surrogate"), 1, 100, 0.3), 1.7);
}

TEST(Surrogate, ends_when_everything_was_seen) {
  const auto surrogate = make_operator("surrogate");
  const Seed seed = conformance_seed();
  struct Everything final : GenomeSet {
    bool contains(const Digest&) const override { return true; }
  } everything;
  auto candidate = std::make_shared<Candidate>(*conformance_candidate(seed, seed.kernel, 0));
  candidate->evaluation.verdict = Verdict::ok;
  candidate->evaluation.objective = 1;
  const std::vector<CandidatePtr> judged(20, candidate);
  Context context{{&seed, 1}, "", {1, 0, 0}};
  context.seen = &everything;
  context.judged = judged;
  RandomStream random({1, 0, 1, 0, Purpose::vary});
  const Outcome outcome = surrogate->start({}, context, random);
  EXPECT_EQ(std::get<NoChild>(outcome).reason, "all_seen");
}

}  // namespace
}  // namespace ke
