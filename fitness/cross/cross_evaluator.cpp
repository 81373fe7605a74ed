#include "fitness/cross/cross_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fitness/cross/chip.hpp"
#include "fitness/cross/cross_judge.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/prepare_job.hpp"
#include "fitness/sandbox/scratch_folder.hpp"

namespace ke::cross {
namespace {

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
    while (auto job = queues_.next_waiting()) {
      prepare_job(
          queues_, *std::move(job), *task_, [this](const Job& one) { return build(one); },
          [](const Job&, Fact& fact) -> Result<void> {
            fact.message = "not_applicable: no sanitizer for this chip";
            return {};
          });
    }
  }

  Result<CrossArms> build(const Job& job) {
    return build_arms<CrossBuilt>(
        job, [this](const Kernel& kernel) { return builder_.build(kernel); },
        [this](const Opponent& opponent) -> Result<CrossBuiltPtr> {
          KE_TRY(const Kernel kernel, resolve_opponent(opponent, *task_));
          return builder_.build(kernel);
        });
  }

  void serve_chip() {
    auto contents = Contents::create(*task_, reference_);
    std::unique_ptr<Machine> machine;
    std::unique_ptr<CrossJudge> judge;
    if (contents) {
      machine = std::make_unique<Machine>(options_.chip, options_.tools, contents->random());
      judge = std::make_unique<CrossJudge>(*task_, options_.chip, reference_, *contents, *machine);
    }
    while (auto ready = queues_.next_ready()) {
      auto done =
          judge ? judge->run(ready->job, ready->arms, ready->fact) : Result<void>(contents.error());
      if (done) done = reference_.health();
      queues_.answer(done ? std::move(ready->fact) : lost_fact(ready->job.key, done.error()));
    }
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
