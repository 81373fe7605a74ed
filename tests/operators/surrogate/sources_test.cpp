#include "operators/surrogate/sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include "core/validation.hpp"
#include "tests/conformance/operator_samples.hpp"
namespace ke {
namespace {

std::string numbers(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
  return "{" + list + "}";
}

/// A source of `side` x `side` points whose objective has the maximum `top` at one of them and
/// falls off.
struct Hill {
  Hill(std::string name, int side, double top, double width, int peak_a, int peak_b)
      : top(top), width(width), peak_a(peak_a), peak_b(peak_b) {
    source = "// @knob A int " + numbers(side) + " = 0\n// @knob B int " + numbers(side) +
             " = 0\nvoid " + name + "();\n";
    space = std::make_shared<const KernelSpace>(*parse_kernel_space("k.cpp", source));
    kernel = space->defaults("k.cpp", source);
  }
  double objective(const Kernel& at) const {
    const double a = std::stod(at.knobs.at("A")) - peak_a;
    const double b = std::stod(at.knobs.at("B")) - peak_b;
    return top / (1 + (a * a + b * b) / (width * width));
  }
  double top;
  double width;
  int peak_a;
  int peak_b;
  std::string source;
  std::shared_ptr<const KernelSpace> space;
  Kernel kernel;
};

/// An island whose kernels come from hills; the first hill is the task's seed.
class Island {
 public:
  explicit Island(std::vector<Hill> hills) : hills_(std::move(hills)) {
    seed_ = {hills_.front().kernel, hills_.front().space};
  }

  void judge(const Kernel& kernel, Verdict verdict = Verdict::ok, double factor = 1) {
    for (const Hill& hill : hills_) {
      if (hill.source != kernel.source) continue;
      auto candidate = std::make_shared<Candidate>();
      candidate->id = {static_cast<std::int64_t>(judged.size()), 0, 0};
      candidate->kernel = kernel;
      candidate->space = hill.space;
      candidate->evaluation.verdict = verdict;
      candidate->evaluation.objective =
          verdict == Verdict::ok ? factor * hill.objective(kernel) : 0;
      best = std::max(best, candidate->evaluation.objective);
      judged.push_back(candidate);
      seen_.genomes.insert(kernel.genome_hash());
      ++counts[kernel.source];
    }
  }

  Context context() const {
    Context context{{&seed_, 1}, "", {static_cast<std::int64_t>(judged.size()), 0, 0}};
    context.seen = &seen_;
    context.judged = judged;
    return context;
  }

  /// Runs steps of an operator and judges each at once.
  void play(const Operator& op, int steps, std::uint64_t seed = 1) {
    for (int i = 0; i < steps; ++i) {
      RandomStream random({seed, 0, static_cast<std::int64_t>(judged.size()), 0, Purpose::vary});
      std::vector<Parent> parents = op.own_parents(context());
      if (parents.empty() && op.arity() == 1) parents = {{best_candidate(), ParentRole::parent}};
      const Outcome outcome = op.start(parents, context(), random);
      if (const auto* made = std::get_if<HashedKernel>(&outcome)) judge(made->kernel);
    }
  }

  const Hill& hill(std::size_t i) const { return hills_[i]; }
  CandidatePtr best_candidate() const {
    return *std::ranges::max_element(judged, {},
                                     [](const CandidatePtr& c) { return c->evaluation.objective; });
  }

  std::vector<CandidatePtr> judged;
  std::map<std::string, int> counts;  ///< judged kernels per source
  double best = 0;

 private:
  std::vector<Hill> hills_;
  Seed seed_;
  SeenSet seen_;
};

/// A seed tuned for 20 points, and a model's kernel that is 5 % slower at its defaults and 50 %
/// faster at its best.
Island tuned_seed_and_fresh_kernel() {
  Island island({Hill("seed", 12, 1.0, 40, 3, 3), Hill("fresh", 12, 1.5, 8, 4, 4)});
  const auto tuner = make_operator("surrogate");
  island.judge(island.hill(0).kernel);
  island.play(*tuner, 20);
  Kernel fresh = island.hill(1).kernel;
  const double at_default = island.hill(1).objective(fresh);
  island.judge(fresh, Verdict::ok, 0.95 * island.best / at_default);
  return island;
}

TEST(Surrogate, tunes_a_fresh_source_that_is_a_little_behind) {
  Island island = tuned_seed_and_fresh_kernel();
  island.play(*make_operator("surrogate"), 10);
  EXPECT_GE(island.counts[island.hill(1).source], 5);
  EXPECT_GT(island.best, 1.2);
}

TEST(Surrogate, tunes_drafts_of_a_search_that_started_from_no_seed) {
  Island island = tuned_seed_and_fresh_kernel();
  Context context = island.context();
  context.seeds = {};
  RandomStream random({1, 0, 9, 0, Purpose::vary});
  const Outcome outcome = make_operator("surrogate")->start({}, context, random);
  EXPECT_TRUE(std::holds_alternative<HashedKernel>(outcome));
  context.judged = {};
  const Outcome nothing = make_operator("surrogate")->start({}, context, random);
  EXPECT_EQ(std::get<NoChild>(nothing).reason, "no_seeds");
}

TEST(Surrogate, that_tunes_the_best_source_alone_leaves_it) {
  Island island = tuned_seed_and_fresh_kernel();
  island.play(*make_operator("surrogate", test::text_options({{"sources", "best"}})), 10);
  EXPECT_EQ(island.counts[island.hill(1).source], 1);
}

TEST(Surrogate, leaves_a_source_that_is_far_behind) {
  Island island({Hill("good", 12, 2.0, 10, 5, 5), Hill("bad", 12, 0.5, 10, 5, 5)});
  island.judge(island.hill(0).kernel);
  island.judge(island.hill(1).kernel);
  island.play(*make_operator("surrogate"), 30);
  EXPECT_LE(island.counts[island.hill(1).source], 6);
}

TEST(Surrogate, goes_on_with_another_source_when_one_is_exhausted) {
  Island island({Hill("small", 2, 2.0, 10, 1, 1), Hill("large", 12, 1.0, 10, 5, 5)});
  island.judge(island.hill(0).kernel);
  island.judge(island.hill(1).kernel);
  island.play(*make_operator("surrogate"), 10);
  EXPECT_EQ(island.counts[island.hill(0).source], 4) << "2 x 2 points, each once";
  EXPECT_EQ(island.counts[island.hill(1).source], 8);
}

TEST(Surrogate, names_the_best_kernel_of_its_source_as_inspiration) {
  Island island = tuned_seed_and_fresh_kernel();
  const auto parents = make_operator("surrogate")->own_parents(island.context());
  ASSERT_EQ(parents.size(), 1u);
  EXPECT_EQ(parents[0].role, ParentRole::inspiration);
  EXPECT_EQ(parents[0].candidate->kernel.source, island.hill(1).source);
}

TEST(Surrogate, of_several_sources_beats_steps_from_the_best_kernel) {
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Hill> hills{Hill("a", 16, 1.0, 10, 2, 3), Hill("b", 16, 1.6, 16, 12, 9),
                                  Hill("c", 16, 1.3, 18, 8, 13)};
    Island tuned(hills);
    Island stepped(hills);
    for (std::size_t i = 0; i < hills.size(); ++i) {
      tuned.judge(hills[i].kernel);
      stepped.judge(hills[i].kernel);
    }
    tuned.play(*make_operator("surrogate"), 45, seed);
    stepped.play(*make_operator("knob_step"), 45, seed);
    wins += tuned.best > stepped.best ? 1 : 0;
  }
  EXPECT_GE(wins, 8);
}

TEST(Sources, a_specialist_counts_with_its_lesser_figure) {
  Island island({Hill("a", 4, 1.0, 6, 2, 3), Hill("b", 4, 5.0, 6, 2, 3)});
  island.judge(island.hill(0).kernel);
  auto specialist = std::make_shared<Candidate>();
  specialist->kernel = island.hill(1).kernel;
  specialist->space = island.hill(1).space;
  specialist->evaluation.verdict = Verdict::ok;
  specialist->evaluation.objective = 5;
  add_validation(0.1, {0.1, 0.1}, 0.01, specialist->evaluation);
  island.judged.push_back(specialist);
  const auto sources = points_by_source(island.judged);
  EXPECT_EQ(leading_source(sources)->best->kernel.source, island.hill(0).source);
  EXPECT_EQ(by_promise(sources, 0.1).front()->best->kernel.source, island.hill(0).source);
}

TEST(Sources, failed_kernels_are_as_bad_as_the_worst_that_works) {
  Island island({Hill("a", 4, 1.0, 6, 2, 3)});
  Kernel kernel = island.hill(0).kernel;
  island.judge(kernel, Verdict::wrong_result);
  kernel.knobs["A"] = "1";
  island.judge(kernel);
  kernel.knobs["A"] = "2";
  island.judge(kernel);
  const auto sources = points_by_source(island.judged);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].targets[0], sources[0].targets[1]);
  EXPECT_GT(sources[0].targets[2], sources[0].targets[1]);
}

/// Kernels of a source with a knob and a flag that never works.
class FlagFails : public testing::Test {
 protected:
  void add(const char* flag, const char* knob, bool ok) {
    auto candidate = std::make_shared<Candidate>();
    candidate->kernel = space.defaults("k.cpp", source);
    candidate->kernel.flags[0] = flag;
    candidate->kernel.knobs["A"] = knob;
    candidate->evaluation.verdict = ok ? Verdict::ok : Verdict::wrong_result;
    kernels.push_back(candidate);
    pointers.push_back(candidate.get());
  }
  std::string source = "// @knob A int {1, 2, 4} = 1\n// @flags -O3; -ffast-math?\n";
  KernelSpace space = *parse_kernel_space("k.cpp", source);
  std::vector<std::shared_ptr<Candidate>> kernels;
  std::vector<const Candidate*> pointers;
};

TEST_F(FlagFails, three_times_and_is_left_out) {
  add("", "1", true);
  add("-ffast-math", "1", false);
  add("-ffast-math", "2", false);
  EXPECT_TRUE(NeverPassed(space, pointers, 3).values().empty());
  add("-ffast-math", "2", false);
  EXPECT_EQ(NeverPassed(space, pointers, 3).values(), std::vector<std::string>{"-ffast-math"});
  EXPECT_FALSE(NeverPassed(space, pointers, 3).allows(kernels.back()->kernel));
  EXPECT_TRUE(NeverPassed(space, pointers, 0).allows(kernels.back()->kernel));
}

TEST_F(FlagFails, and_no_other_value_is_blamed_for_it) {
  add("", "1", true);
  for (int i = 0; i < 3; ++i) add("-ffast-math", "4", false);
  add("-ffast-math", "1", false);
  const auto values = NeverPassed(space, pointers, 3).values();
  EXPECT_EQ(values, std::vector<std::string>{"-ffast-math"});
}

TEST_F(FlagFails, while_nothing_passes_nothing_is_left_out) {
  for (int i = 0; i < 5; ++i) add("-ffast-math", "4", false);
  EXPECT_TRUE(NeverPassed(space, pointers, 3).values().empty());
}

TEST_F(FlagFails, one_success_clears_a_value) {
  for (int i = 0; i < 5; ++i) add("-ffast-math", "4", false);
  add("-ffast-math", "1", true);
  EXPECT_EQ(NeverPassed(space, pointers, 3).values(), std::vector<std::string>{"A=4"});
}

}  // namespace
}  // namespace ke
