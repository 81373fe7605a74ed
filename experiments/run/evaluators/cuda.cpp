#include "experiments/run/evaluators/cuda.hpp"

#include <fmt/format.h>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/places.hpp"

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
    return "[{measure: registers, low: 16, high: 256, bins: 6, scale: log}, "
           "{measure: ptx_instructions, low: 32, high: 4096, bins: 6, scale: log}]";
  }
};

}  // namespace

gpu::GpuOptions cuda_options(Params& device, const EvaluatorSetup& setup) {
  gpu::GpuOptions options = gpu::GpuOptions::read(device);
  options.tools_dir = setup.tools_folder;
  options.sheet = setup.sheet;
  options.rules.duel.margin = setup.acceptance.min_gain;
  // Scales the errors of the looks to the declared error, in the rule's proportions.
  double sum = 0;
  for (const double error : options.rules.duel.errors) sum += error;
  for (double& error : options.rules.duel.errors) error *= setup.acceptance.error / sum;
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

std::vector<AxisInfo> cuda_measures() {
  const auto axis = [](std::string name, std::string unit, double low, double high, int bins,
                       Scale scale) {
    return AxisInfo{.name = std::move(name),
                    .unit = std::move(unit),
                    .low = low,
                    .high = high,
                    .bins = bins,
                    .scale = scale};
  };
  return {axis("registers", "1", 16, 256, 6, Scale::logarithmic),
          axis("spill_bytes", "B", 0, 1024, 4, Scale::linear),
          axis("shared_bytes", "B", 0, 49152, 6, Scale::linear),
          axis("load_bytes", "B", 1, 16, 4, Scale::logarithmic),
          axis("shared_share", "1", 0, 1, 5, Scale::linear),
          axis("async_copies", "1", 0, 16, 4, Scale::linear),
          axis("matrix_ops", "1", 0, 64, 4, Scale::linear),
          axis("shuffles", "1", 0, 32, 4, Scale::linear),
          axis("ptx_instructions", "1", 32, 4096, 6, Scale::logarithmic)};
}

std::unique_ptr<EvaluatorKind> make_cuda_kind() { return std::make_unique<CudaKind>(); }

}  // namespace ke
