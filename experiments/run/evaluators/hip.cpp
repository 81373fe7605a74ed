#include "experiments/run/evaluators/hip.hpp"

#include <filesystem>

#include "experiments/run/evaluators/cuda.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/evaluators/python.hpp"
#include "experiments/run/places.hpp"
#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/hip/hip_evaluator.hpp"
#include "fitness/python/python_builder.hpp"
#include "fitness/task.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// Folder of hip/hip_runtime.h; if there is none, the folder where it is expected.
std::string hip_headers() {
  fs::path path;
  for (const std::string& folder : config_folders()) {
    path = fs::path(folder) / "backends/hip/include";
    std::error_code code;
    if (fs::is_directory(path, code)) return fs::canonical(path, code).string();
  }
  return path.string();
}

/// Options of the compilers for AMD GPUs, with paths and settings of the program. Error: the Python
/// lacks FlyDSL.
Result<hip::AmdOptions> amd_options(const hip::HipOptions& options, const Workbench& bench,
                                    std::shared_ptr<const Task> task) {
  hip::AmdOptions amd = options.amd;
  amd.tools.tools_dir = tools_folder();
  amd.tools.level = bench.options.level;
  amd.include_dir = hip_headers();
  if (!options.python.empty()) {
    KE_TRY(auto compiler,
           make_dsl_compiler("flydsl", options.python, bench, amd.tools.tools_dir, amd.limit));
    amd.dsl = python::make_python_compiler(std::move(task), std::move(compiler), "flydsl");
  }
  return amd;
}

bool on_amd(Params& device) { return hip::HipOptions::read(device).runtime.vendor == "amd"; }

/// True if kernels have this measure on GPUs of both vendors.
bool common(const std::string& measure) {
  return measure == "registers" || measure == "spill_bytes" || measure == "shared_bytes";
}

class HipKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override {
    gpu::GpuOptions::read(device);
    hip::HipOptions::read(device);
  }

  Result<Subject> subject(Params&, const std::string& task,
                          const std::string& beside) const override {
    KE_TRY(const auto loaded, load_task(task, beside));
    KE_TRY(Task ported, in_language(*loaded, "hip"));
    KE_TRY(Subject subject, subject_of(std::make_shared<const Task>(std::move(ported))));
    subject.language = shared_language("hip");
    return subject;
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    KE_TRY(const HipSetup prepared, hip_setup(device, subject.task, setup));
    KE_TRY(auto evaluator, start_hip(subject.task, prepared));
    return StartedEvaluator{std::move(evaluator), "device code in a process of its own",
                            prepared.bench.sandbox.warning};
  }

  /// Compiles for the AMD GPUs of device.targets, which need not be present.
  Result<StartedEvaluator> start_compiler(Params& device, const Subject& subject,
                                          const EvaluatorSetup&) const override {
    const hip::HipOptions options = hip::HipOptions::read(device);
    KE_TRY(const Workbench bench, make_workbench(options.sandbox));
    KE_TRY(const hip::AmdOptions amd, amd_options(options, bench, subject.task));
    KE_TRY(auto evaluator, hip::make_amd_compiler(subject.task, amd));
    return StartedEvaluator{std::move(evaluator), std::string(name(bench.options.level)),
                            bench.sandbox.warning};
  }

  std::vector<AxisInfo> measures(Params& device) const override {
    std::vector<AxisInfo> axes = cuda_measures();
    if (on_amd(device)) std::erase_if(axes, [](const AxisInfo& one) { return !common(one.name); });
    const auto axis = [](std::string name, std::string unit, double low, double high) {
      return AxisInfo{
          .name = std::move(name), .unit = std::move(unit), .low = low, .high = high, .bins = 4};
    };
    for (const std::string& target : hip::HipOptions::read(device).amd.targets) {
      const std::string of = target + "_";
      axes.push_back(axis(of + "sgprs", "1", 0, 104));
      axes.push_back(axis(of + "vgprs", "1", 0, 256));
      axes.push_back(axis(of + "agprs", "1", 0, 256));
      axes.push_back(axis(of + "spills", "1", 0, 64));
      axes.push_back(axis(of + "scratch_bytes", "B", 0, 1024));
      axes.push_back(axis(of + "lds_bytes", "B", 0, 65536));
      axes.push_back(axis(of + "waves", "1", 1, 8));
    }
    return axes;
  }
  std::string default_axes(Params& device) const override {
    if (on_amd(device)) {
      return "[{measure: registers, low: 16, high: 256, bins: 6, scale: log}, "
             "{measure: shared_bytes, low: 0, high: 65536, bins: 6}]";
    }
    return "[{measure: registers, low: 16, high: 256, bins: 6, scale: log}, "
           "{measure: ptx_instructions, low: 32, high: 4096, bins: 6, scale: log}]";
  }
};

}  // namespace

Result<HipSetup> hip_setup(Params& device, const std::shared_ptr<const Task>& task,
                           const EvaluatorSetup& setup) {
  const hip::HipOptions options = hip::HipOptions::read(device);
  HipSetup prepared{cuda_options(device, setup), {}, options.runtime, {}};
  KE_TRY(prepared.bench, make_workbench(options.sandbox));
  KE_TRY(prepared.amd, amd_options(options, prepared.bench, task));
  return prepared;
}

Result<std::unique_ptr<Evaluator>> start_hip(const std::shared_ptr<const Task>& task,
                                             const HipSetup& setup) {
  KE_TRY(Reference oracle, oracle_of(*task, setup.bench.options));
  return hip::make_hip_evaluator(task, std::move(oracle), setup.options, setup.amd, setup.runtime,
                                 cuda::make_nvrtc_compiler);
}

std::vector<gpu::ProbeLine> probe_hip_here(SandboxLevel level) {
  ParamLog log;
  Params device(nullptr, "device", log);
  Workbench bench;
  bench.options.level = level;
  const auto amd = amd_options(hip::HipOptions::read(device), bench, nullptr);
  if (!amd) return {{"hip compiler", false, amd.error().message}};
  return hip::probe_hip(*amd, "");
}

std::unique_ptr<EvaluatorKind> make_hip_kind() { return std::make_unique<HipKind>(); }

}  // namespace ke
