#include "fitness/gpu/plan_on_gpu.hpp"

#include <memory>

#include "fitness/gpu/worker_protocol.hpp"

namespace ke::gpu {
namespace {

constexpr std::chrono::milliseconds answer_limit{30'000};

Result<WorkerAnswer> ask(HelperProcess& helper, const WorkerRequest& request) {
  bool ended = false;
  const bool sent = helper.send(encode(request));
  const auto frame = sent ? helper.receive(answer_limit, ended) : std::nullopt;
  if (!frame) return Error{ke::Failure::device, "the GPU worker does not answer"};
  KE_TRY(WorkerAnswer answer, decode<WorkerAnswer>(*frame));
  if (answer.status == 0) return answer;
  return Error{ke::Failure::device, answer.stage + ": " + answer.text};
}

Result<std::unique_ptr<HelperProcess>> loaded(const GpuBuilt& built, const std::string& tools_dir,
                                              int index) {
  KE_TRY(auto helper, HelperProcess::start(tools_dir, {"run", std::to_string(index)}));
  WorkerRequest load;
  load.kind = WorkerRequest::Kind::load;
  load.cubins = built.cubins;
  KE_TRY_VOID(ask(*helper, load));
  return helper;
}

}  // namespace

Result<ResolvedPlan> plan_on_gpu(const Task& task, const Workload& workload, const GpuBuilt& built,
                                 const DeviceTerms& device, const std::string& tools_dir,
                                 int index) {
  std::unique_ptr<HelperProcess> helper;
  PlanContext context{&task, &workload, built.knobs, device, {}};
  context.occupancy = [&](const std::string& kernel, std::int64_t threads,
                          std::int64_t shared) -> Result<std::int64_t> {
    if (!helper) {
      KE_TRY(helper, loaded(built, tools_dir, index));
    }
    WorkerRequest question;
    question.kind = WorkerRequest::Kind::occupancy;
    question.name = kernel;
    question.threads = threads;
    question.bytes = shared;
    KE_TRY(const WorkerAnswer answer, ask(*helper, question));
    return answer.number;
  };
  return resolve_plan(built.plan, context);
}

}  // namespace ke::gpu
