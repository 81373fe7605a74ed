#include "fitness/cuda/cuda_evaluator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "fitness/cuda/judge_kernels.hpp"
#include "fitness/prepare_job.hpp"
#include "fitness/python/python_builder.hpp"
#include "fitness/queued_evaluator.hpp"
#include "fitness/resolve_opponent.hpp"

namespace ke::cuda {
namespace {

constexpr std::int64_t protocol_version = 1;
constexpr std::int64_t spare_bytes = std::int64_t{256} << 20;

/// What was found out before any thread starts.
struct Setting {
  const Driver* driver = nullptr;
  GpuInfo gpu;
  NvrtcPlace nvrtc;
  std::string nvrtc_version;
  std::string judge_cubin;
};

/// Memory for the largest workload, its gaps and scratch of the same size.
Result<std::int64_t> shared_bytes(const Task& task) {
  std::int64_t most = 0;
  for (const Workload& workload : task.workloads) {
    KE_TRY(const Shapes shapes, resolve_shapes(task, workload));
    std::int64_t sum = 0;
    for (const TensorShape& tensor : shapes.tensors) {
      sum += tensor.bytes + (1 << 17);
      if (tensor.elements >= std::int64_t{1} << 32) {
        return Error{ke::Failure::config,
                     fmt::format("a tensor has 2^32 elements or more at {}", workload.label)};
      }
    }
    most = std::max(most, sum);
  }
  return most + std::min(most, std::int64_t{8} << 30) + spare_bytes;
}

class CudaEvaluator final : public QueuedEvaluator<GpuArms> {
 public:
  CudaEvaluator(std::shared_ptr<const Task> task, Reference reference, const CudaOptions& options,
                Setting setting)
      : task_(std::move(task)),
        reference_(std::move(reference)),
        options_(options),
        setting_(std::move(setting)),
        builder_(*task_, setting_.gpu.terms, setting_.gpu.arch, options_.dialect.get(),
                 dsl_builder()) {
    describe();
    for (std::int64_t i = 0; i < options_.compile_threads; ++i) {
      threads_.emplace_back([this] { compile_jobs(); });
    }
    threads_.emplace_back([this] { serve_lane(); });
  }

  ~CudaEvaluator() override { stop_threads(); }

 private:
  void describe() {
    const GpuInfo& gpu = setting_.gpu;
    info_.kind = options_.dialect ? options_.dialect->language() : "cuda";
    info_.device_class = fmt::format("{}; driver {}; {} caches", gpu.terms.name, gpu.driver_version,
                                     options_.rules.cold ? "cold" : "warm");
    info_.toolchain = fmt::format("nvrtc {}; {}; build 1", setting_.nvrtc_version, gpu.arch);
    if (options_.dialect) info_.toolchain += "; " + options_.dialect->toolchain();
    if (options_.dsl) {
      for (const python::DslFinding& dsl : options_.dsl->python.dsls) {
        if (!dsl.usable) continue;
        info_.toolchain += fmt::format("; {} {}", dsl.name, dsl.version);
      }
    }
    info_.protocol_version = protocol_version;
    info_.capabilities = {info_.kind, gpu.arch};
    info_.workloads = task_->labels(Role::bench);
    info_.baselines = {"naive", "anchor"};
  }

  // --- compile pool ---

  DslBuilder dsl_builder() const {
    if (!options_.dsl) return {};
    return [this](const Kernel& kernel) {
      return python::build_python(*task_, setting_.gpu.terms, setting_.gpu.arch, *options_.dsl,
                                  kernel);
    };
  }

  void compile_jobs() {
    CompileHelper helper(options_.tools_dir, setting_.nvrtc,
                         std::chrono::milliseconds(options_.compile_limit_ms));
    while (auto job = queues_.next_waiting()) {
      prepare_job(
          queues_, *std::move(job), *task_, [&](const Job& one) { return build(one, helper); },
          [](const Job&, Fact& fact) -> Result<void> {
            fact.message = "not_applicable: no sanitizer for GPUs here";
            return {};
          });
    }
  }

  Result<GpuArms> build(const Job& job, CompileHelper& helper) {
    return build_arms<CudaBuilt>(
        job, [&](const Kernel& kernel) { return builder_.build(kernel, helper); },
        [&](const Opponent& opponent) -> Result<CudaBuiltPtr> {
          KE_TRY(const Kernel kernel, resolve_opponent(opponent, *task_));
          return builder_.build(kernel, helper);
        });
  }

  // --- the device ---

  /// Everything that lives in the lane's context, in order of construction.
  struct Lane {
    std::unique_ptr<SecretRandom> random;
    std::unique_ptr<GpuMemory> memory;
    std::unique_ptr<GpuContents> contents;
    std::unique_ptr<GpuWorker> challenger, opponent;
    std::unique_ptr<GpuBench> bench;
    std::unique_ptr<GpuJudge> judge;
  };

  Result<Lane> open_lane() {
    Lane lane;
    const int index = static_cast<int>(options_.index);
    KE_TRY_VOID(enter_gpu(*setting_.driver, index));
    KE_TRY(auto random, SecretRandom::from_system());
    lane.random = std::make_unique<SecretRandom>(std::move(random));
    KE_TRY(const std::int64_t bytes, shared_bytes(*task_));
    KE_TRY(lane.memory,
           GpuMemory::create(*setting_.driver, index, bytes, setting_.judge_cubin, *lane.random));
    lane.contents = std::make_unique<GpuContents>(*task_, reference_, *lane.random);
    const auto worker = [&] {
      return std::make_unique<GpuWorker>(options_.tools_dir, index, *lane.memory,
                                         setting_.judge_cubin);
    };
    lane.challenger = worker();
    lane.opponent = worker();
    lane.bench = std::make_unique<GpuBench>(
        *task_, setting_.gpu, *lane.memory, *lane.contents,
        std::array<GpuWorker*, 2>{lane.challenger.get(), lane.opponent.get()});
    lane.judge = std::make_unique<GpuJudge>(*lane.bench, options_.rules, queues_.closing());
    return lane;
  }

  void serve_lane() {
    auto lane = open_lane();
    while (auto ready = queues_.next_ready()) {
      if (!lane) {
        queues_.answer(lost_fact(ready->job.key, lane.error()));
        continue;
      }
      const auto done = lane->judge->run(ready->job, ready->arms, ready->fact);
      if (options_.lane_time != nullptr) *options_.lane_time = lane->bench->time;
      queues_.answer(done ? std::move(ready->fact) : lost_fact(ready->job.key, done.error()));
    }
  }

  std::shared_ptr<const Task> task_;
  Reference reference_;
  CudaOptions options_;
  Setting setting_;
  CudaBuilder builder_;
};

Result<Setting> prepare(const CudaOptions& options) {
  Setting setting;
  KE_TRY(setting.driver, load_driver());
  KE_TRY(setting.gpu, describe_gpu(*setting.driver, static_cast<int>(options.index)));
  if (!setting.gpu.exports) {
    return Error{ke::Failure::device, "this GPU's driver cannot share memory between processes"};
  }
  KE_TRY(setting.nvrtc, find_nvrtc(options.nvrtc));
  CompileHelper helper(options.tools_dir, setting.nvrtc,
                       std::chrono::milliseconds(options.compile_limit_ms));
  KE_TRY(setting.nvrtc_version, helper.version());
  KE_TRY(const auto own, helper.compile({"judge.cu", judge_kernels,
                                         cuda_options(setting.gpu.arch, setting.nvrtc, "")}));
  if (!own || !own->ok) {
    return Error{ke::Failure::device,
                 "the judge's own kernels do not compile: " + (own ? own->log : "no answer")};
  }
  setting.judge_cubin = own->cubin;
  return setting;
}

}  // namespace

CudaOptions CudaOptions::read(Params& device) {
  CudaOptions options;
  options.index = device.integer("index", 0, {0, 63}, "number of the GPU");
  options.nvrtc =
      device.text("nvrtc", "", "path of libnvrtc; empty = where CUDA or PyTorch installs it");
  options.compile_threads = device.integer("compile_threads", 2, {1, 256}, "compilers at a time");
  options.compile_limit_ms =
      device.duration_ms("compile_limit", "30s", {1000, 600'000}, "time for compiling one kernel");
  GpuRules& rules = options.rules;
  rules.cold = device.choice("cache", "cold", {"cold", "warm"},
                             "whether caches are flushed in front of each timed call") == "cold";
  rules.call_limit_ms = device.duration_ms("call_limit", "1s", {10, 600'000},
                                           "time for one call, beside 20 times the opponent's");
  rules.screen.quads = static_cast<int>(
      device.integer("screen_quads", 4, {1, 1000}, "kept quads of a screen, over all workloads"));
  rules.duel_quads = static_cast<int>(device.integer(
      "duel_quads", 6, {1, 1000}, "kept quads of a duel's cluster, over all workloads"));
  rules.duel.prior.spread =
      device.real("spread", 0.004, {0, 1}, "expected spread between clusters, as a fraction");
  rules.verify_clusters = static_cast<int>(
      device.integer("verify_clusters", 6, {2, 1000}, "clusters of a verification"));
  rules.verify_ns =
      1'000'000 * device.duration_ms("verify_time", "6s", {100, 3'600'000},
                                     "goal for timing one opponent of a verification");
  rules.floor_share = device.real("floor_share", 0.9, {0, 1},
                                  "faster than this share of the memory floor is measured again");
  return options;
}

std::vector<CudaFinding> probe_cuda(const std::string& tools_dir) {
  std::vector<CudaFinding> list;
  const auto driver = load_driver();
  if (!driver) {
    list.push_back({"cuda driver", false, driver.error().message});
  } else if (const auto gpu = describe_gpu(**driver, 0); !gpu) {
    list.push_back({"cuda driver", false, gpu.error().message});
  } else {
    list.push_back({"cuda driver", true,
                    fmt::format("{}, {}, {} multiprocessors, driver {}{}", gpu->terms.name,
                                gpu->arch, gpu->terms.sm_count, gpu->driver_version,
                                gpu->exports ? "" : "; cannot share memory between processes")});
  }
  const auto nvrtc = find_nvrtc("");
  list.push_back({"cuda compiler", static_cast<bool>(nvrtc),
                  nvrtc ? nvrtc->library + (nvrtc->include_dir.empty() ? ", no headers found" : "")
                        : nvrtc.error().message});
  const std::string helper = tools_dir + "/kernelevolve-cuda";
  const bool there = access(helper.c_str(), X_OK) == 0;
  list.push_back(
      {"kernelevolve-cuda", there, there ? helper : helper + " is missing; build or install it"});
  return list;
}

Result<std::unique_ptr<Evaluator>> make_cuda_evaluator(std::shared_ptr<const Task> task,
                                                       Reference reference,
                                                       const CudaOptions& options) {
  KE_TRY(Setting setting, prepare(options));
  return std::unique_ptr<Evaluator>(std::make_unique<CudaEvaluator>(
      std::move(task), std::move(reference), options, std::move(setting)));
}

}  // namespace ke::cuda
