#include "experiments/dispatch/opencl_codes.hpp"

#include "experiments/dispatch/launch_text.hpp"
#include "fitness/plan/planned_kernel.hpp"

namespace ke {
namespace {

class OpenclCodes final : public KernelCodes {
 public:
  OpenclCodes(std::shared_ptr<const Task> task, std::string device)
      : task_(std::move(task)), device_(std::move(device)) {}

  const std::string& name() const override { return device_; }
  const std::string& arch() const override { return arch_; }
  bool portable() const override { return true; }

  Result<std::vector<GpuCode>> make(const Kernel& kernel, const Digest&) const override {
    PlannedKernel parts;
    if (const auto refusal = take_apart(kernel, "kernel.cl", parts)) {
      return Error{Failure::config, refusal->message};
    }
    KE_TRY(std::string launch, launch_text(*task_, parts.plan, parts.knobs));
    return std::vector<GpuCode>{{arch_, launched_kernels(parts.plan), {}, std::move(launch)}};
  }

 private:
  std::shared_ptr<const Task> task_;
  std::string device_;
  std::string arch_ = "opencl";
};

}  // namespace

std::unique_ptr<const KernelCodes> make_opencl_codes(std::shared_ptr<const Task> task,
                                                     std::string device) {
  return std::make_unique<OpenclCodes>(std::move(task), std::move(device));
}

}  // namespace ke
