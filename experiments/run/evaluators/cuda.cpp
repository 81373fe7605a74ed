#include "experiments/run/evaluators/cuda.hpp"

#include <fmt/format.h>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"

namespace ke {
namespace {

class CudaKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { gpu::GpuOptions::read(device); }

  Result<Subject> subject(Params&, const std::string& task,
                          const std::string& beside) const override {
    return subject_of(task, beside, "cuda");
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    GpuSetup gpu{cuda_options(device, setup), {}};
    KE_TRY(gpu.bench, make_workbench("auto"));
    KE_TRY(auto evaluator, start_cuda(subject.task, gpu));
    return StartedEvaluator{std::move(evaluator), "device code in a process of its own"};
  }

  Result<StartedEvaluator> start_compiler(Params& device, const Subject& subject,
                                          const EvaluatorSetup& setup) const override {
    KE_TRY(auto evaluator, cuda::make_cuda_compiler(subject.task, cuda_options(device, setup)));
    return StartedEvaluator{std::move(evaluator), "device code in a process of its own"};
  }

  std::vector<AxisInfo> measures(Params&) const override { return cuda_measures(); }
  std::string default_axes(Params&) const override {
    return "[{measure: engine}, {measure: data_path}, {measure: cooperation}]";
  }
};

}  // namespace

gpu::GpuOptions cuda_options(Params& device, const EvaluatorSetup& setup) {
  gpu::GpuOptions options = gpu::GpuOptions::read(device);
  options.tools_dir = setup.tools_folder;
  options.sheet = setup.sheet;
  options.tell = setup.tell;
  set_duels(options.rules, setup.acceptance);
  return options;
}

Result<std::unique_ptr<Evaluator>> start_cuda(const std::shared_ptr<const Task>& task,
                                              const GpuSetup& setup) {
  gpu::GpuOptions completed = setup.options;
  KE_TRY(completed.python, cuda_python_of(*task, completed.autotuned_baseline));
  if (completed.python == nullptr && task->kernels.empty()) {
    return Error{
        Failure::device,
        fmt::format("task '{}' has no kernels, so its module in PyTorch is what others are "
                    "timed against: python3 in PATH needs PyTorch for this GPU",
                    task->name)};
  }
  KE_TRY(Reference oracle, oracle_of(*task, setup.bench.options));
  return cuda::make_cuda_evaluator(task, std::move(oracle), completed);
}

namespace {

AxisInfo numbers(std::string name, std::string unit, double low, double high, int bins,
                 Scale scale) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .low = low,
          .high = high,
          .bins = bins,
          .scale = scale};
}

/// Categories 0, 1, 2, ... by label.
AxisInfo kinds(std::string name, const std::vector<std::string>& labels) {
  AxisInfo info{
      .name = std::move(name), .unit = "", .high = static_cast<double>(labels.size() - 1)};
  for (const std::string& label : labels) {
    info.categories.push_back({label, static_cast<double>(info.categories.size())});
  }
  return info;
}

}  // namespace

std::vector<AxisInfo> cuda_measures() {
  return {kinds("engine", {"single", "packed", "mma", "wgmma", "wgmma_registers", "tcgen05"}),
          kinds("data_path", {"single", "vector", "cp_async", "bulk", "tensor_map", "multicast"}),
          kinds("cooperation", {"thread", "warp", "block", "cluster", "grid"}),
          kinds("warp_roles", {"alike", "unlike"}),
          numbers("launches", "1", 1, 8, 4, Scale::logarithmic),
          numbers("waves", "1", 0.125, 1024, 5, Scale::logarithmic),
          numbers("block_threads", "1", 32, 1024, 5, Scale::logarithmic),
          numbers("block_shared_bytes", "B", 0, 232448, 4, Scale::linear),
          numbers("stages", "1", 0, 8, 4, Scale::linear),
          numbers("plan_scratch_bytes", "B", 1, 1e9, 4, Scale::logarithmic),
          numbers("registers", "1", 16, 256, 6, Scale::logarithmic),
          numbers("spill_bytes", "B", 0, 1024, 4, Scale::linear),
          numbers("shared_bytes", "B", 0, 49152, 6, Scale::linear),
          numbers("load_bytes", "B", 1, 16, 4, Scale::logarithmic),
          numbers("shared_share", "1", 0, 1, 5, Scale::linear),
          numbers("async_copies", "1", 0, 16, 4, Scale::linear),
          numbers("matrix_ops", "1", 0, 64, 4, Scale::linear),
          numbers("shuffles", "1", 0, 32, 4, Scale::linear),
          numbers("ptx_instructions", "1", 32, 4096, 6, Scale::logarithmic)};
}

std::unique_ptr<EvaluatorKind> make_cuda_kind() { return std::make_unique<CudaKind>(); }

}  // namespace ke
