
#include <fmt/format.h>

#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/evaluators/require_language.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "fitness/opencl/opencl_evaluator.hpp"

namespace ke {
namespace {

class OpenclKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { opencl::OpenclOptions::read(device); }

  Result<Subject> subject(Params&, const std::string& task,
                          const std::string& beside) const override {
    KE_TRY(auto loaded, load_task(task, beside));
    KE_TRY(auto language, require_language(*loaded, "opencl"));
    KE_TRY(Subject subject, subject_of(std::move(loaded)));
    subject.language = std::move(language);
    return subject;
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    opencl::OpenclOptions options = opencl::OpenclOptions::read(device);
    options.cpu = cpu_options(device, setup);
    KE_TRY_VOID(require_compiler(options.cpu));
    KE_TRY(const SandboxReport report, probe_sandbox(options.cpu.tools_dir, options.cpu.sandbox));
    options.cpu.level = report.level;
    KE_TRY(Reference oracle, oracle_of(*subject.task, options.cpu));
    KE_TRY(auto evaluator, opencl::make_opencl_evaluator(subject.task, std::move(oracle), options));
    return StartedEvaluator{std::move(evaluator), std::string(name(report.level)), report.warning};
  }

  std::vector<AxisInfo> measures(Params&) const override { return descriptor_measures(); }
  std::string default_axes(Params&) const override {
    return "[{measure: vector_width, bins: [scalar, 128, 256, 512]}, "
           "{measure: code_bytes, low: 512, high: 16384, bins: 5, scale: log}]";
  }
};

}  // namespace

std::unique_ptr<EvaluatorKind> make_opencl_kind() { return std::make_unique<OpenclKind>(); }

}  // namespace ke
