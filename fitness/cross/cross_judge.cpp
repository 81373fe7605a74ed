#include "fitness/cross/cross_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fitness/content/unlisted.hpp"

namespace ke::cross {
namespace {

constexpr std::int64_t small_bytes = 4 << 14;  // larger shapes are slow on a simulated chip
constexpr std::size_t most_costs = 1 << 14;

/// Fixed, because a count must be the same whenever and wherever it is taken.
SecretRandom::Seed fixed_seed(const Task& task, const Workload& workload) {
  Encoder text;
  text("cross-inputs/1")(task.content_hash)(workload.label);
  const std::string hex = text.digest().hex();
  SecretRandom::Seed seed{};
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed[i] = std::stoull(hex.substr(16 * i, 16), nullptr, 16);
  }
  return seed;
}

}  // namespace

Result<void> CrossJudge::run(const Job& job, const CrossArms& arms, Fact& fact) {
  arms_ = arms;
  if (costs_.size() > most_costs) costs_.clear();
  KE_TRY_VOID(judge(*this, JudgedJob(job, arms, fact)));
  if (fact.comparison) add_measures(*arms.candidate, fact);
  return {};
}

// --- correctness ---

Result<void> CrossJudge::add_calls(const Workload& workload, Plan& plan) {
  KE_TRY_VOID(contents_.rotate(workload));
  KE_TRY(ContentPool* const pool, contents_.mixed(workload));
  SecretRandom& random = contents_.random();
  const auto add = [&](FreshContent content) {
    plan.calls.push_back(
        {&workload, std::move(content), random.below(2) == 0 ? Side::start : Side::end});
  };
  const bool small = pool->shapes().bytes() <= small_bytes;
  if (small) {
    for (std::size_t c = 0; c < ContentPool::cases(task_); ++c) add(pool->new_draw(c));
    add(pool->varied());
    const FreshContent base = pool->fresh();
    add(base);
    add(pool->edited(base));  // directly after the original content
  }
  add(pool->fresh());
  plan.calls.push_back(plan.calls.back());
  plan.equal.emplace_back(plan.calls.size() - 2, plan.calls.size() - 1);
  return {};
}

// No larger than listed shapes, which are known to fit into the chip.
Result<void> CrossJudge::add_unlisted(Thoroughness thoroughness, Plan& plan) {
  SecretRandom& random = contents_.random();
  plan.unlisted =
      unlisted_workloads(task_, purpose_of(thoroughness), {largest_listed_elements(task_)}, random);
  for (const Workload& workload : plan.unlisted) {
    KE_TRY(ContentPool pool, contents_.passing(workload));
    plan.calls.push_back(
        {&workload, pool.fresh(0), random.below(2) == 0 ? Side::start : Side::end});
  }
  return {};
}

Result<CrossJudge::Plan> CrossJudge::plan(Thoroughness thoroughness) {
  auto list = checked_workloads(task_, thoroughness, contents_.random());
  shuffle(list, contents_.random());
  Plan plan;
  for (const Workload* workload : list) KE_TRY_VOID(add_calls(*workload, plan));
  KE_TRY_VOID(add_unlisted(thoroughness, plan));
  return plan;
}

Result<CheckReport> CrossJudge::check(Thoroughness thoroughness) {
  KE_TRY(const Plan planned, plan(thoroughness));
  KE_TRY(GuestRun run, machine_.check(built(0), planned.calls));
  CheckReport report;
  report.margin = run.margin;
  report.finding = std::move(run.finding);
  if (report.finding && report.finding->mismatch) {
    const GuestCall& wrong = planned.calls[run.outputs.size()];
    report.wrong = {*wrong.workload, wrong.content};
    wrong_side_ = wrong.side;
  }
  if (report.finding) return report;
  const auto differs = [&](const auto& pair) {
    return run.outputs[pair.first] != run.outputs[pair.second];
  };
  if (std::ranges::any_of(planned.equal, differs)) report.finding = differs_when_repeated();
  return report;
}

Result<std::optional<Finding>> CrossJudge::call(int arm, const WrongCall& wrong) {
  const GuestCall call{&wrong.workload, wrong.content, wrong_side_};
  KE_TRY(GuestRun run, machine_.check(built(arm), {&call, 1}));
  return std::move(run.finding);
}

Result<FreshContent> CrossJudge::content(const Workload& workload) {
  KE_TRY(ContentPool* const pool, contents_.plain(workload));
  return pool->fresh();
}

// --- cost ---

Result<GuestCall> CrossJudge::fixed_call(const Workload& workload) {
  auto& content = fixed_[workload.label];
  if (!content) {
    SecretRandom random(fixed_seed(task_, workload));
    const PoolOptions options{.entries = 1, .cases = {0}};
    KE_TRY(const auto pool, ContentPool::create(task_, workload, reference_, random, options));
    content = pool.entries().front();
  }
  return GuestCall{&workload, untransformed(content), Side::start};
}

Result<std::optional<Finding>> CrossJudge::take_costs(const CrossBuilt& built,
                                                      const std::vector<const Workload*>& on) {
  std::vector<const Workload*> unknown;
  std::vector<GuestCall> checked, counted;
  for (const Workload* workload : on) {
    if (costs_.contains({built.build_hash, workload->label})) continue;
    unknown.push_back(workload);
    KE_TRY(const GuestCall fixed, fixed_call(*workload));
    KE_TRY(ContentPool* const secret, contents_.plain(*workload));
    counted.push_back(fixed);
    checked.push_back(fixed);
    checked.push_back({workload, secret->fresh(), Side::start});
  }
  if (unknown.empty()) return std::optional<Finding>();
  KE_TRY(GuestRun run, machine_.check(built, checked));
  if (run.finding) return std::move(run.finding);
  KE_TRY(std::optional<Finding> differs, costs_agree(run, unknown));
  if (differs) return differs;
  std::vector<Counts> counts(unknown.size());
  if (chip_.timing == "trace") {
    KE_TRY(GuestRun traced, machine_.count(built, counted));
    if (traced.finding) return std::move(traced.finding);
    counts = std::move(traced.counts);
  }
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const std::int64_t counter = run.counters[2 * i];
    Counts& one = counts[i];
    if (chip_.timing == "counter") {
      one.instructions = counter;
      one.cost = static_cast<double>(counter);
    } else if (one.instructions != counter) {
      return Error{Failure::device, fmt::format("the trace shows {} instructions, the counter {}; "
                                                "is runner.counter_overhead right?",
                                                one.instructions, counter)};
    }
    costs_[{built.build_hash, unknown[i]->label}] = std::move(one);
  }
  return std::optional<Finding>();
}

/// Fixed inputs are not secret, so a gain on them alone must not count.
Result<std::optional<Finding>> CrossJudge::costs_agree(
    const GuestRun& run, const std::vector<const Workload*>& on) const {
  for (std::size_t i = 0; i < on.size(); ++i) {
    const auto fixed = static_cast<double>(run.counters[2 * i]);
    const auto secret = static_cast<double>(run.counters[2 * i + 1]);
    if (fixed <= 0 || secret <= 0) {
      return Error{Failure::device, "the chip's counter stands still"};
    }
    if (std::abs(secret / fixed - 1) <= chip_.count_tolerance) continue;
    return std::optional(
        Finding{Verdict::suspicious, "count_depends_on_inputs",
                fmt::format("{} counted on the inputs that costs are taken on, {} on others", fixed,
                            secret)});
  }
  return std::optional<Finding>();
}

Result<std::optional<Finding>> CrossJudge::costs(int arm, const std::vector<const Workload*>& on,
                                                 std::vector<double>& costs) {
  KE_TRY(auto failed, take_costs(built(arm), on));
  if (failed) return failed;
  for (const Workload* workload : on) {
    costs.push_back(costs_.at({built(arm).build_hash, workload->label}).cost);
  }
  return failed;
}

// Sums over the bench workloads; other roles must not steer the search.
void CrossJudge::add_measures(const CrossBuilt& built, Fact& fact) const {
  Counts sum;
  std::map<std::string, double> classes;
  for (const Workload& workload : task_.workloads) {
    const auto found = costs_.find({built.build_hash, workload.label});
    if (workload.role != Role::bench || found == costs_.end()) continue;
    const Counts& one = found->second;
    sum.instructions += one.instructions;
    sum.cost += one.cost;
    sum.vector_instructions += one.vector_instructions;
    sum.vector_registers += one.vector_registers;
    for (std::size_t i = 0; i < one.of_rule.size(); ++i) {
      classes["n_" + chip_.costs[i].name] += static_cast<double>(one.of_rule[i]);
    }
  }
  const double instructions = static_cast<double>(std::max<std::int64_t>(sum.instructions, 1));
  const double vectors = static_cast<double>(std::max<std::int64_t>(sum.vector_instructions, 1));
  fact.measures.insert(classes.begin(), classes.end());
  fact.measures["instructions"] = static_cast<double>(sum.instructions);
  fact.measures["cost"] = sum.cost;
  fact.measures["vector_share"] = static_cast<double>(sum.vector_instructions) / instructions;
  fact.measures["vector_registers"] = sum.vector_registers / vectors;
}

}  // namespace ke::cross
