#include "fitness/cuda/cuda_compiler.hpp"

#include <fmt/format.h>

#include "fitness/job_queues.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/pure_evaluator.hpp"
#include "fitness/python/python_builder.hpp"

namespace ke::cuda {
namespace {

class CudaCompiler {
 public:
  CudaCompiler(std::shared_ptr<const Task> task, const CudaOptions& options, NvrtcPlace nvrtc)
      : task_(std::move(task)),
        dsl_(options.dsl),
        helper_(options.tools_dir, std::move(nvrtc),
                std::chrono::milliseconds(options.compile_limit_ms)),
        builder_(*task_, terms_, options.arch, nullptr, dsl_builder(options.arch)) {}

  Result<std::string> version() { return helper_.version(); }

  Fact answer(const Job& job) {
    if (job.kind != JobKind::build) {
      return lost_fact(job.key, {Failure::device, "kernels are compiled here and not run"});
    }
    const auto built = builder_.build(job.kernel, helper_);
    if (!built) return lost_fact(job.key, built.error());
    Fact fact;
    fact.key = job.key;
    take_build(**built, fact);
    fact.cost.compile_ns = (*built)->compile_ns;
    fact.feedback = feedback_of({&fact, built->get(), nullptr, -1, task_.get(), ""});
    return fact;
  }

 private:
  OtherBuilder dsl_builder(const std::string& arch) const {
    if (!dsl_) return {};
    return [this, arch](const Kernel& kernel) {
      return python::build_python(*task_, terms_, arch, *dsl_, kernel);
    };
  }

  std::shared_ptr<const Task> task_;
  std::shared_ptr<const python::DslCompiler> dsl_;
  DeviceTerms terms_;
  CompileHelper helper_;
  CudaBuilder builder_;
};

}  // namespace

Result<std::unique_ptr<Evaluator>> make_cuda_compiler(std::shared_ptr<const Task> task,
                                                      const CudaOptions& options) {
  KE_TRY(NvrtcPlace nvrtc, find_nvrtc(options.nvrtc));
  const auto compiler = std::make_shared<CudaCompiler>(std::move(task), options, std::move(nvrtc));
  KE_TRY(const std::string version, compiler->version());
  EvaluatorInfo info;
  info.kind = "cuda";
  info.device_class = fmt::format("compiled for {}", options.arch);
  info.toolchain = fmt::format("nvrtc {}; {}", version, options.arch);
  info.capabilities = {"cuda"};
  info.noisy = false;
  return make_pure_evaluator(std::move(info),
                             [compiler](const Job& job) { return compiler->answer(job); });
}

}  // namespace ke::cuda
