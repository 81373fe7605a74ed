#include "experiments/run/evaluators/opencl.hpp"

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "fitness/opencl/opencl_builder.hpp"

namespace ke {
namespace {

class OpenclKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { opencl::OpenclOptions::read(device); }

  Result<Subject> subject(Params&, const std::string& task,
                          const std::string& beside) const override {
    return subject_of(task, beside, "opencl");
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    KE_TRY(const OpenclSetup prepared, opencl_setup(device, setup));
    KE_TRY(auto evaluator, start_opencl(subject.task, prepared));
    return StartedEvaluator{std::move(evaluator), std::string(name(prepared.sandbox.level)),
                            prepared.sandbox.warning};
  }

  std::vector<AxisInfo> measures(Params&) const override { return descriptor_measures(); }
  std::string default_axes(Params&) const override {
    return "[{measure: vector_width, bins: [scalar, 128, 256, 512]}, "
           "{measure: code_bytes, low: 512, high: 16384, bins: 5, scale: log}]";
  }
};

}  // namespace

Result<OpenclSetup> opencl_setup(Params& device, const EvaluatorSetup& setup) {
  OpenclSetup prepared{opencl::OpenclOptions::read(device), {}};
  CpuOptions& cpu = prepared.options.cpu;
  cpu = cpu_options(device, setup);
  KE_TRY_VOID(require_compiler(cpu));
  KE_TRY(prepared.sandbox, probe_sandbox(cpu.tools_dir, cpu.sandbox));
  cpu.level = prepared.sandbox.level;
  return prepared;
}

Result<std::string> opencl_device(const OpenclSetup& setup) {
  const CpuOptions& cpu = setup.options.cpu;
  KE_TRY(const opencl::DeviceFacts facts,
         opencl::Tools{cpu.tools_dir, cpu.level, cpu.scratch}.probe());
  return facts.name;
}

Result<std::unique_ptr<Evaluator>> start_opencl(const std::shared_ptr<const Task>& task,
                                                const OpenclSetup& setup) {
  KE_TRY(Reference oracle, oracle_of(*task, setup.options.cpu));
  return opencl::make_opencl_evaluator(task, std::move(oracle), setup.options);
}

std::unique_ptr<EvaluatorKind> make_opencl_kind() { return std::make_unique<OpenclKind>(); }

}  // namespace ke
