#include "experiments/run/evaluators/python.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/run/child_program.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/places.hpp"
#include "fitness/python/python_builder.hpp"

namespace ke {
namespace {

struct PythonOptions {
  std::string dsl, interpreter, sandbox;

  static PythonOptions read(Params& device) {
    PythonOptions options;
    options.dsl = device.choice("dsl", "triton", python::dsl_names(),
                                "language of the kernels that are evolved");
    options.interpreter = device.text(
        "python", "python3", "Python that the DSL is installed for: a path, or a name in PATH");
    options.sandbox = device.choice("sandbox", "auto", sandbox_choices(),
                                    "walls around compilers; auto = the strongest");
    return options;
  }
};

Result<python::Installation> require_dsl(const std::string& dsl, const std::string& interpreter) {
  KE_TRY(python::Installation found, find_python(interpreter));
  const auto finding = std::ranges::find(found.dsls, dsl, &python::DslFinding::name);
  if (finding != found.dsls.end() && finding->usable) return found;
  return Error{Failure::device,
               fmt::format("{} of device.python = {}: {}", dsl, interpreter,
                           finding == found.dsls.end() ? "unknown" : finding->detail)};
}

/// A task that was imported from a module: models draft its kernels in the DSL.
Result<Subject> without_kernels(std::shared_ptr<const Task> task, const Language& language) {
  if (task->language != language.port_of) {
    return Error{Failure::config,
                 fmt::format("task '{}' is for kernels in {}; import it with --language {} for "
                             "kernels in {}",
                             task->name, find_language(task->language)->title, language.port_of,
                             language.title)};
  }
  KE_TRY(Subject subject, subject_of(std::move(task)));
  subject.interface.kernel.language = language.name;
  return subject;
}

/// The seed is the task's kernel in the DSL.
Result<Subject> with_kernels(std::shared_ptr<const Task> task, const std::string& dsl) {
  const std::string* kernel = task->kernel_source(dsl);
  if (kernel == nullptr) {
    return Error{Failure::config, fmt::format("task '{}' has no kernel in {}: its task.yaml "
                                              "names none below 'kernels.{}'",
                                              task->name, dsl, dsl)};
  }
  KE_TRY(Seed seed, make_seed(*task, dsl, *kernel));
  KE_TRY(Subject subject, subject_of(std::move(task)));
  subject.seeds = {std::move(seed)};
  return subject;
}

/// Judges kernels in a Python DSL like CUDA kernels, against the task's CUDA kernels or its module
/// in PyTorch.
class PythonKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override {
    gpu::GpuOptions::read(device);
    PythonOptions::read(device);
  }

  Result<Subject> subject(Params& device, const std::string& task,
                          const std::string& beside) const override {
    const std::string dsl = PythonOptions::read(device).dsl;
    const auto language = shared_language(dsl);
    if (std::ranges::find(language->kinds, "python") == language->kinds.end()) {
      return Error{Failure::config, fmt::format("device.dsl = {}: kernels in {} are for device: {}",
                                                dsl, language->title, language->device)};
    }
    KE_TRY(auto loaded, load_task(task, beside));
    const bool drafts = loaded->kernels.empty();
    KE_TRY(Subject subject, drafts ? without_kernels(std::move(loaded), *language)
                                   : with_kernels(std::move(loaded), dsl));
    subject.language = language;
    subject.contract.language = dsl;
    return subject;
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    KE_TRY(const GpuSetup prepared, python_setup(device, subject.task, setup));
    KE_TRY(auto evaluator, start_cuda(subject.task, prepared));
    return started(std::move(evaluator), prepared.bench);
  }

  Result<StartedEvaluator> start_compiler(Params& device, const Subject& subject,
                                          const EvaluatorSetup& setup) const override {
    KE_TRY(const GpuSetup prepared, python_setup(device, subject.task, setup));
    KE_TRY(auto evaluator, cuda::make_cuda_compiler(subject.task, prepared.options));
    return started(std::move(evaluator), prepared.bench);
  }

  std::vector<AxisInfo> measures(Params&) const override { return cuda_measures(); }
  std::string default_axes(Params& device) const override { return cuda_->default_axes(device); }

 private:
  static StartedEvaluator started(std::unique_ptr<Evaluator> evaluator, const Workbench& bench) {
    return {std::move(evaluator), std::string(name(bench.sandbox.level)), bench.sandbox.warning};
  }

  std::unique_ptr<EvaluatorKind> cuda_ = make_cuda_kind();
};

}  // namespace

Result<python::Installation> find_python(const std::string& interpreter) {
  const ProgramAnswer answer =
      run_program({interpreter, "-I", "-B", adapters_folder() + "/serve.py", "probe"});
  if (answer.code == no_such_program) {
    return Error{Failure::device, fmt::format("{}: no such program; name a Python by its path in "
                                              "device.python",
                                              interpreter)};
  }
  return python::read_installation(answer.output);
}

Result<std::shared_ptr<const python::DslCompiler>> make_dsl_compiler(
    const std::string& dsl, const std::string& interpreter, const Workbench& bench,
    const std::string& tools_folder, std::chrono::milliseconds limit) {
  KE_TRY(python::Installation found, require_dsl(dsl, interpreter));
  KE_TRY(ScratchFolder scratch, ScratchFolder::create(bench.options.scratch));
  return std::make_shared<const python::DslCompiler>(
      python::DslCompiler{std::move(found), adapters_folder(), tools_folder, bench.sandbox.level,
                          std::make_shared<const ScratchFolder>(std::move(scratch)), limit});
}

Result<GpuSetup> python_setup(Params& device, const std::shared_ptr<const Task>& task,
                              const EvaluatorSetup& setup) {
  GpuSetup prepared{cuda_options(device, setup), {}};
  const PythonOptions asked = PythonOptions::read(device);
  KE_TRY(prepared.bench, make_workbench(asked.sandbox));
  KE_TRY(auto compiler,
         make_dsl_compiler(asked.dsl, asked.interpreter, prepared.bench, setup.tools_folder,
                           std::chrono::milliseconds(prepared.options.compile_limit_ms)));
  prepared.options.dsl = python::make_python_compiler(task, std::move(compiler));
  return prepared;
}

std::unique_ptr<EvaluatorKind> make_python_kind() { return std::make_unique<PythonKind>(); }

}  // namespace ke
