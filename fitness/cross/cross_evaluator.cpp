#include "fitness/cross/cross_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/job.hpp"
#include "fitness/content/contents.hpp"
#include "fitness/content/unlisted.hpp"
#include "fitness/cross/chip.hpp"
#include "fitness/cross/machine.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/judging/judge.hpp"
#include "fitness/sandbox/scratch_folder.hpp"

namespace ke::cross {
namespace {

using CrossArms = JobArms<CrossBuilt>;

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

class CrossJudge final : public ExactDevice {
 public:
  /// All arguments are borrowed.
  CrossJudge(const Task& task, const Chip& chip, const Reference& reference, Contents& contents,
             Machine& machine)
      : task_(task), chip_(chip), reference_(reference), contents_(contents), machine_(machine) {}

  /// Fills verdict, comparison, measures, feedback and cost of a fact whose candidate is built.
  Result<void> run(const Job& job, const CrossArms& arms, Fact& fact) {
    arms_ = arms;
    if (costs_.size() > most_costs) costs_.clear();
    KE_TRY_VOID(judge(*this, JudgedJob(job, arms, fact)));
    if (fact.comparison) add_measures(*arms.candidate, fact);
    return {};
  }

  const Task& task() const override { return task_; }
  Result<CheckReport> check(Thoroughness thoroughness) override {
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

  /// Either arm runs in a fresh start of the chip.
  Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) override {
    const GuestCall call{&wrong.workload, wrong.content, wrong_side_};
    KE_TRY(GuestRun run, machine_.check(built(arm), {&call, 1}));
    return std::move(run.finding);
  }

  Result<FreshContent> content(const Workload& workload) override {
    KE_TRY(ContentPool* const pool, contents_.plain(workload));
    return pool->fresh();
  }

  /// Finding: wrong outputs, or a count that differs on secret inputs. Caches counts.
  Result<std::optional<Finding>> costs(int arm, const std::vector<const Workload*>& on,
                                       std::vector<double>& costs) override {
    KE_TRY(auto failed, take_costs(built(arm), on));
    if (failed) return failed;
    for (const Workload* workload : on) {
      costs.push_back(costs_.at({built(arm).build_hash, workload->label}).cost);
    }
    return failed;
  }

 private:
  /// Planned calls; the calls of a pair have equal inputs.
  struct Plan {
    std::vector<Workload> unlisted;  ///< shapes that calls refer to
    std::vector<GuestCall> calls;
    std::vector<std::pair<std::size_t, std::size_t>> equal;
  };
  Result<Plan> plan(Thoroughness thoroughness) {
    auto list = checked_workloads(task_, thoroughness, contents_.random());
    shuffle(list, contents_.random());
    Plan plan;
    for (const Workload* workload : list) KE_TRY_VOID(add_calls(*workload, plan));
    KE_TRY_VOID(add_unlisted(thoroughness, plan));
    return plan;
  }

  // No larger than listed shapes, which are known to fit into the chip.
  Result<void> add_unlisted(Thoroughness thoroughness, Plan& plan) {
    SecretRandom& random = contents_.random();
    plan.unlisted = unlisted_workloads(task_, purpose_of(thoroughness),
                                       {largest_listed_elements(task_)}, random);
    for (const Workload& workload : plan.unlisted) {
      KE_TRY(ContentPool pool, contents_.passing(workload));
      plan.calls.push_back({&workload, pool.fresh(0), random_side(random)});
    }
    return {};
  }

  Result<void> add_calls(const Workload& workload, Plan& plan) {
    KE_TRY_VOID(contents_.rotate(workload));
    KE_TRY(ContentPool* const pool, contents_.mixed(workload));
    SecretRandom& random = contents_.random();
    const auto add = [&](FreshContent content) {
      plan.calls.push_back({&workload, std::move(content), random_side(random)});
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

  Result<GuestCall> fixed_call(const Workload& workload) {
    auto& content = fixed_[workload.label];
    if (!content) {
      SecretRandom random(fixed_seed(task_, workload));
      const PoolOptions options{.entries = 1, .cases = {0}};
      KE_TRY(const auto pool, ContentPool::create(task_, workload, reference_, random, options));
      content = pool.entries().front();
    }
    return GuestCall{&workload, untransformed(content), Side::start};
  }

  const CrossBuilt& built(int arm) const { return arm == 0 ? *arms_.candidate : *arms_.opponent; }
  /// Measures a kernel's costs at the workloads where they are unknown.
  Result<std::optional<Finding>> take_costs(const CrossBuilt& built,
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
        return Error{Failure::device,
                     fmt::format("the trace shows {} instructions, the counter {}; "
                                 "is runner.counter_overhead right?",
                                 one.instructions, counter)};
      }
      costs_[{built.build_hash, unknown[i]->label}] = std::move(one);
    }
    return std::optional<Finding>();
  }

  /// Fixed inputs are not secret, so a gain on them alone must not count.
  Result<std::optional<Finding>> costs_agree(const GuestRun& run,
                                             const std::vector<const Workload*>& on) const {
    for (std::size_t i = 0; i < on.size(); ++i) {
      const auto fixed = static_cast<double>(run.counters[2 * i]);
      const auto secret = static_cast<double>(run.counters[2 * i + 1]);
      if (fixed <= 0 || secret <= 0) {
        return Error{Failure::device, "the chip's counter stands still"};
      }
      if (std::abs(secret / fixed - 1) <= chip_.count_tolerance) continue;
      return std::optional(
          Finding{Verdict::suspicious, "count_depends_on_inputs",
                  fmt::format("{} counted on the inputs that costs are taken on, {} on others",
                              fixed, secret)});
    }
    return std::optional<Finding>();
  }

  // Sums over the bench workloads; other roles must not steer the search.
  void add_measures(const CrossBuilt& built, Fact& fact) const {
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

  const Task& task_;
  const Chip& chip_;
  const Reference& reference_;
  Contents& contents_;
  Machine& machine_;
  std::map<std::string, std::shared_ptr<const Content>> fixed_;  ///< by workload
  std::map<std::pair<Digest, std::string>, Counts> costs_;       ///< by build and workload
  CrossArms arms_;                                               ///< arms of the current job
  Side wrong_side_ = Side::start;                                ///< side of the last wrong call
};

constexpr std::int64_t protocol_version = 3;

class CrossEvaluator final : public QueuedEvaluator<CrossArms> {
 public:
  /// `options.tools.scratch` is the path of `scratch`.
  CrossEvaluator(std::shared_ptr<const Task> task, Reference reference, CrossOptions options,
                 ScratchFolder scratch, EvaluatorInfo info)
      : task_(std::move(task)),
        reference_(std::move(reference)),
        options_(std::move(options)),
        scratch_(std::move(scratch)),
        builder_(*task_, options_.chip, options_.tools) {
    info_ = std::move(info);
    for (std::int64_t i = 0; i < options_.compile_threads; ++i) {
      threads_.emplace_back([this] { compile_jobs(); });
    }
    threads_.emplace_back([this] { serve_chip(); });
  }

  ~CrossEvaluator() override { stop_threads(); }

 private:
  void compile_jobs() {
    const auto build = [this](const Kernel& kernel) { return builder_.build(kernel); };
    prepare_jobs(
        *task_, [&](const Job& job) { return build_arms<CrossBuilt>(job, *task_, build); },
        no_sanitizer("this chip"));
  }

  void serve_chip() {
    auto contents = Contents::create(*task_, reference_);
    std::unique_ptr<Machine> machine;
    std::unique_ptr<CrossJudge> judge;
    if (contents) {
      machine = std::make_unique<Machine>(options_.chip, options_.tools, contents->random());
      judge = std::make_unique<CrossJudge>(*task_, options_.chip, reference_, *contents, *machine);
    }
    serve_ready(queues_, [&](const Job& job, const CrossArms& arms, Fact& fact) {
      auto done = judge ? judge->run(job, arms, fact) : Result<void>(contents.error());
      return done ? reference_.health() : done;
    });
  }

  std::shared_ptr<const Task> task_;
  Reference reference_;
  CrossOptions options_;
  ScratchFolder scratch_;
  CrossBuilder builder_;
};

/// Digest over names and bytes of the chip's own files.
Result<Digest> digest_of_support(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  std::error_code code;
  for (const auto& entry : fs::recursive_directory_iterator(folder, code)) {
    if (!entry.is_regular_file(code)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder).generic_string()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  if (code) return Error{Failure::config, "device.support = " + folder + ": " + code.message()};
  Encoder text;
  text(files);
  return text.digest();
}

/// Digest over everything that decides a cost.
Digest digest_of_prices(const Chip& chip) {
  Encoder text;
  text("prices/1")(chip.timing)(chip.vector_bits)(chip.datapath_bits)(chip.run)(chip.counted);
  text(chip.vector_set);
  for (const CostRule& rule : chip.costs) {
    text(rule.name)(rule.cost)(static_cast<int>(rule.scale))(rule.registers)(rule.instructions);
  }
  return text.digest();
}

Result<EvaluatorInfo> describe(const Task& task, const CrossOptions& options) {
  const Chip& chip = options.chip;
  KE_TRY(const Digest support, digest_of_support(chip.support));
  KE_TRY(const JobFolder folder, JobFolder::create(options.tools.scratch));
  KE_TRY(const ToolRun version,
         options.tools.run(chip.version, folder.path(), SandboxProfile::compiler,
                           std::chrono::milliseconds(20'000)));
  if (!version.exit.succeeded()) {
    return Error{Failure::device,
                 fmt::format("{} fails: {}", chip.version.front(), version.output.substr(0, 300))};
  }
  Encoder commands;
  commands(support)(chip.compile)(chip.link)(chip.disassemble)(chip.refused);
  EvaluatorInfo info;
  info.kind = "cross";
  info.device_class = fmt::format("{}; prices {}", chip.name, digest_of_prices(chip).short_hex());
  info.toolchain =
      fmt::format("{}; commands {}; build 1", version.output.substr(0, version.output.find('\n')),
                  commands.digest().short_hex());
  info.protocol_version = protocol_version;
  info.capabilities = {"cross", chip.name};
  info.workloads = task.labels(Role::bench);
  info.baselines = {"naive", "anchor"};
  info.noisy = false;
  info.sheet = chip_sheet(chip);
  return info;
}

Result<void> check_call(const Task& task) {
  const std::size_t arguments = task.tensors.size() + task.axis_arguments.size();
  if (arguments <= most_arguments && task.tensors.size() + 2 <= most_regions) return {};
  return Error{
      Failure::config,
      fmt::format("task '{}' has {} arguments and {} tensors; a chip's calls take {} and "
                  "{} at most",
                  task.name, arguments, task.tensors.size(), most_arguments, most_regions - 2)};
}

}  // namespace

CrossOptions CrossOptions::read(Params& device) {
  CrossOptions options;
  options.chip = Chip::read(device);
  options.compile_threads =
      device.integer("compile_threads", 1, {1, 256}, "compilers at a time beside the runner");
  options.sandbox = device.choice("sandbox", "auto", {"auto", "namespaces", "landlock", "rlimits"},
                                  "walls around toolchain and runner; auto = the strongest");
  options.language = device.added("riscv").text(
      "language", "riscv",
      "what models that write its kernels are told: a language of ours, or a description of your "
      "own, NAME.md below configs/backends or a path");
  return options;
}

Result<std::unique_ptr<Evaluator>> make_cross_evaluator(std::shared_ptr<const Task> task,
                                                        Reference reference,
                                                        const CrossOptions& asked) {
  KE_TRY_VOID(check_call(*task));
  if (const auto missing = asked.chip.missing_programs(); !missing.empty()) {
    return Error{Failure::device, fmt::format("{}: missing {}; {}", asked.chip.name,
                                              fmt::join(missing, ", "), asked.chip.install)};
  }
  CrossOptions options = asked;
  KE_TRY(ScratchFolder scratch, ScratchFolder::create(options.tools.scratch));
  options.tools.scratch = scratch.path();
  options.tools.readable = {options.chip.support};
  if (!task->include_dir.empty()) options.tools.readable.push_back(task->include_dir);
  KE_TRY(EvaluatorInfo info, describe(*task, options));
  return std::unique_ptr<Evaluator>(
      std::make_unique<CrossEvaluator>(std::move(task), std::move(reference), std::move(options),
                                       std::move(scratch), std::move(info)));
}

}  // namespace ke::cross
