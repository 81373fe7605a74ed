#include "fitness/gpu/gpu_evaluator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "core/text.hpp"
#include "fitness/gpu/compute_sanitizer.hpp"
#include "fitness/gpu/gpu_lane.hpp"
#include "fitness/gpu/gpu_sheet.hpp"
#include "fitness/gpu/judge_kernels.hpp"
#include "fitness/host/lane_lock.hpp"
#include "fitness/host/python_baseline.hpp"
#include "fitness/job_queues.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t protocol_version = 4;
constexpr unsigned cores_of_content_thread = 4;

/// The driver, GPUs and builds found before any thread starts.
struct Setting {
  std::shared_ptr<const Driver> driver;
  std::vector<GpuInfo> gpus;  ///< one model, at least one GPU
  GpuTarget target;           ///< for that model
  std::string toolchain;
  std::string judge_cubin;
};

Result<std::string> no_sanitizer() {
  return Error{ke::Failure::device, "compute-sanitizer examines kernels of CUDA's driver alone"};
}

Result<std::string> no_profiler() {
  return Error{ke::Failure::device, "Nsight Compute profiles kernels of CUDA's driver alone"};
}

class GpuEvaluator final : public QueuedEvaluator<GpuArms> {
 public:
  GpuEvaluator(std::shared_ptr<const Task> task, Reference reference, const GpuOptions& options,
               Setting setting)
      : task_(std::move(task)),
        reference_(std::move(reference)),
        options_(options),
        setting_(std::move(setting)),
        sanitizer_(*task_, reference_, model(), by_cuda() ? find_compute_sanitizer : no_sanitizer,
                   options_.tools_dir),
        profiler_(*task_, model(), by_cuda() ? find_nsight_compute : no_profiler,
                  options_.tools_dir, options_.rules.cold) {
    describe();
  }

  ~GpuEvaluator() override { stop_threads(); }

  /// Error: the first GPU that cannot be opened.
  Result<void> start() {
    for (std::int64_t i = 0; i < options_.compile_threads; ++i) {
      threads_.emplace_back([this] { compile_jobs(); });
    }
    std::vector<std::future<Result<double>>> opened;
    for (const GpuInfo& gpu : setting_.gpus) {
      std::promise<Result<double>> told;
      opened.push_back(told.get_future());
      threads_.emplace_back(
          [this, &gpu, told = std::move(told)]() mutable { serve_lane(gpu, told); });
    }
    for (std::size_t i = 0; i < opened.size(); ++i) {
      const Result<double> rate = opened[i].get();
      if (!rate) {
        return Error{rate.error().failure,
                     fmt::format("GPU {}: {}", setting_.gpus[i].index, rate.error().message)};
      }
      if (i == 0 && options_.sheet) describe_device(*rate);
    }
    return {};
  }

 private:
  void describe_device(double copy_rate) {
    info_.sheet = gpu_sheet(*task_, model(), gpu_figures(*setting_.driver, model().index),
                            copy_rate, options_.rules.cold);
    info_.sheet.text += options_.sheet_tail;
  }

  void describe() {
    const GpuInfo& gpu = model();
    info_.kind = options_.compiler->language();
    const std::string runtime = by_cuda() ? "driver" : setting_.driver->api;
    info_.device_class = fmt::format("{}; {} {}; {} caches", gpu.terms.name, runtime,
                                     gpu.driver_version, options_.rules.cold ? "cold" : "warm");
    info_.toolchain = setting_.toolchain;
    info_.protocol_version = protocol_version;
    info_.capabilities = {info_.kind, gpu.arch, "sanitizers"};
    info_.workloads = task_->labels(Role::bench);
    for (const char* name : {"naive", "anchor"}) {
      if (task_->kernel_source(name) != nullptr) info_.baselines.emplace_back(name);
    }
    if (options_.python) describe_python_baselines(*task_, *options_.python, info_);
    info_.lanes = static_cast<std::int64_t>(setting_.gpus.size());
  }

  /// Whether kernels run on CUDA's driver, not on another runtime with its interface.
  bool by_cuda() const { return setting_.driver->library.empty(); }
  /// All GPUs of a run are one model; the first one represents them.
  const GpuInfo& model() const { return setting_.gpus.front(); }

  // --- compile pool ---

  void compile_jobs() {
    prepare_jobs(
        *task_, [this](const Job& job) { return build(job); },
        [this](const Job& job, Fact& fact) { return sanitize(job, fact); });
  }

  Result<void> sanitize(const Job& job, Fact& fact) {
    KE_TRY(const GpuBuiltPtr built, build_kernel(job.kernel));
    const std::lock_guard alone(examined_gpu_);
    const LaneLock turn = turn_on(model());
    KE_TRY(const SanitizerReport report, sanitizer_.examine(*built));
    take_report(report, fact);
    if (options_.profile == Profiled::off || fact.verdict != Verdict::ok) return {};
    take_kernel_profile(profiler_.profile(*built, model().index), fact);
    return {};
  }

  Result<GpuArms> build(const Job& job) {
    return build_arms<GpuBuilt>(
        job, [this](const Kernel& kernel) { return build_kernel(kernel); },
        [this](const Opponent& opponent) -> Result<GpuBuiltPtr> {
          if (auto baseline = python_opponent(opponent)) return module_build(*baseline);
          KE_TRY(const Kernel kernel, resolve_opponent(opponent, *task_));
          return build_kernel(kernel);
        });
  }

  std::optional<Kernel> python_opponent(const Opponent& opponent) const {
    if (opponent.kernel || !options_.python) return std::nullopt;
    return find_python_baseline(*task_, *options_.python, opponent.name);
  }

  static GpuBuiltPtr module_build(const Kernel& baseline) {
    GpuBuilt built;
    built.build_hash = baseline.genome_hash();
    built.trusted = true;
    built.module = baseline.language;
    return std::make_shared<const GpuBuilt>(std::move(built));
  }

  Result<GpuBuiltPtr> build_kernel(const Kernel& kernel) {
    return known_.build(kernel.genome_hash(),
                        [&] { return options_.compiler->build(kernel, setting_.target); });
  }

  // --- the GPUs ---

  /// All lanes together call the oracle on a quarter of the cores.
  unsigned content_threads() const {
    const unsigned lanes = static_cast<unsigned>(setting_.gpus.size());
    return std::max(1U, std::thread::hardware_concurrency() / (cores_of_content_thread * lanes));
  }

  /// Sets `told` to the rate of a long copy once the lane is open; 0 without a device sheet.
  void serve_lane(const GpuInfo& gpu, std::promise<Result<double>>& told) {
    const LaneParts parts{*task_,
                          reference_,
                          *setting_.driver,
                          options_.tools_dir,
                          setting_.judge_cubin,
                          options_.rules,
                          queues_.closing(),
                          content_threads(),
                          options_.python};
    auto lane = GpuLane::open(parts, gpu);
    if (!lane) return told.set_value(lane.error());
    told.set_value(options_.sheet ? copy_rate(gpu, **lane) : Result<double>(0.0));
    serve_ready(queues_, [&](const Job& job, const GpuArms& arms, Fact& fact) {
      std::unique_lock alone(examined_gpu_, std::defer_lock);
      if (gpu.index == model().index) alone.lock();
      const LaneLock turn = turn_on(gpu);
      Result<void> done = (*lane)->run(job, arms, fact);
      if (done) done = reference_.health();
      if (done && is_new_elite(job, fact)) profile_elite(gpu, *arms.candidate, fact);
      if (options_.lane_time != nullptr && gpu.index == model().index) {
        *options_.lane_time = (*lane)->time();
      }
      return done;
    });
  }

  /// Waits while another process uses the GPU.
  LaneLock turn_on(const GpuInfo& gpu) const {
    return {gpu.bus_id, queues_.closing(), options_.tell};
  }

  Result<double> copy_rate(const GpuInfo& gpu, GpuLane& lane) const {
    const LaneLock turn = turn_on(gpu);
    return lane.copy_rate();
  }

  bool is_new_elite(const Job& job, const Fact& fact) const {
    return options_.profile == Profiled::elites && job.kind == JobKind::duel &&
           fact.verdict == Verdict::ok && fact.comparison &&
           fact.comparison->decision == Decision::better;
  }

  /// Profiles on the lane's own GPU, which nobody else uses meanwhile.
  void profile_elite(const GpuInfo& gpu, const GpuBuilt& built, Fact& fact) {
    const std::int64_t begin = now_ns();
    take_kernel_profile(profiler_.profile(built, gpu.index), fact);
    fact.cost.lane_ns += now_ns() - begin;
  }

  std::shared_ptr<const Task> task_;
  Reference reference_;
  GpuOptions options_;
  Setting setting_;
  KnownBuilds<GpuBuilt> known_;
  ComputeSanitizer sanitizer_;
  NsightCompute profiler_;
  std::mutex examined_gpu_;  ///< for the first GPU, which either times or examines kernels
};

Result<Setting> prepare(const GpuOptions& options) {
  Setting setting;
  setting.driver = options.driver;
  if (!setting.driver) {
    KE_TRY(setting.driver, load_driver());
  }
  KE_TRY(setting.gpus, describe_gpus(*setting.driver, options.gpus));
  KE_TRY_VOID(require_one_model(setting.gpus));
  if (!setting.gpus.front().exports) {
    return Error{ke::Failure::device, "this GPU's driver cannot share memory between processes"};
  }
  setting.target = {setting.gpus.front().arch, setting.gpus.front().terms};
  KE_TRY(setting.toolchain, options.compiler->toolchain(setting.target));
  KE_TRY(setting.judge_cubin, options.compiler->compile_own(judge_kernels, setting.target));
  for (GpuInfo& gpu : setting.gpus) {
    gpu.flush_bytes = std::max(gpu.flush_bytes, 3 * options.compiler->cache_bytes());
  }
  return setting;
}

std::vector<int> read_gpus(Params& device) {
  constexpr int most_index = 63;
  std::vector<int> gpus;
  const std::vector<std::string> words =
      device.texts("gpus", {"0"},
                   "numbers of the GPUs that time kernels, of one model, or all; more of them "
                   "change the time that a run takes and no result");
  if (words == std::vector<std::string>{"all"}) return gpus;
  for (const std::string& word : words) {
    const int index = number_from<int>(word).value_or(-1);
    if (index < 0 || index > most_index) {
      device.fail("gpus", fmt::format("names '{}', which is neither a number of [0, {}] nor all",
                                      word, most_index));
    } else if (std::ranges::find(gpus, index) != gpus.end()) {
      device.fail("gpus", fmt::format("names GPU {} twice", index));
    } else {
      gpus.push_back(index);
    }
  }
  if (words.empty()) device.fail("gpus", "names no GPU");
  return gpus;
}

}  // namespace

GpuOptions GpuOptions::read(Params& device) {
  GpuOptions options;
  options.gpus = read_gpus(device);
  options.nvrtc =
      device.text("nvrtc", "", "path of libnvrtc; empty = where CUDA or PyTorch installs it");
  options.arch = device.added("sm_90a").text(
      "arch", "sm_90a", "GPU that `check` and `eval --only compile` compile for, without one");
  options.compile_threads = device.integer("compile_threads", 2, {1, 256}, "compilers at a time");
  options.compile_limit_ms =
      device.duration_ms("compile_limit", "30s", {1000, 600'000}, "time for compiling one kernel");
  GpuRules& rules = options.rules;
  rules.cold = device.choice("cache", "cold", {"cold", "warm"},
                             "whether caches are flushed in front of each timed call") == "cold";
  rules.call_limit_ms = device.duration_ms("call_limit", "1s", {10, 600'000},
                                           "time for one call, beside 20 times the opponent's");
  rules.read(device, 1, "6s");
  options.autotuned_baseline =
      device.added("off").choice(
          "autotuned_baseline", "off", {"off", "on"},
          "whether what torch.compile makes in its mode max-autotune is a baseline too, "
          "'pytorch_autotuned'; it can take minutes a shape") == "on";
  options.profile = device.choice_of<Profiled>(
      "profile", "champions", {"off", "champions", "elites"},
      "whose hardware counters Nsight Compute reads, where it is installed: champions beside the "
      "sanitizers, elites also whenever a duel is won, which takes seconds each time");
  return options;
}

Result<std::unique_ptr<Evaluator>> make_gpu_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference,
                                                      const GpuOptions& options) {
  KE_TRY(Setting setting, prepare(options));
  auto made = std::make_unique<GpuEvaluator>(std::move(task), std::move(reference), options,
                                             std::move(setting));
  KE_TRY_VOID(made->start());
  return std::unique_ptr<Evaluator>(std::move(made));
}

}  // namespace ke::gpu
