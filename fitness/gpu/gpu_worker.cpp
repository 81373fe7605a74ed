#include "fitness/gpu/gpu_worker.hpp"

#include <unistd.h>

namespace ke::gpu {
namespace {

constexpr std::chrono::milliseconds start_limit{30'000};
constexpr std::chrono::milliseconds load_limit{5'000};

// After these errors a context is unusable.
bool poisons(std::int64_t status) {
  return status == uncorrectable_ecc || status == unknown ||
         (status >= illegal_address && status <= launch_failed &&
          status != launch_out_of_resources);
}

}  // namespace

Result<void> GpuWorker::start() {
  std::vector<std::string> argv{tools_dir_ + "/kernelevolve-cuda", "run", std::to_string(index_)};
  if (!hip_library_.empty()) argv.push_back(hip_library_);
  KE_TRY(process_, HelperProcess::start(std::move(argv)));
  loaded_.clear();
  const WorkerRequest attach{
      .kind = WorkerRequest::Kind::attach, .bytes = memory_.bytes(), .cubins = {cubin_}};
  KE_TRY(const int descriptor, memory_.descriptor());
  bool ended = false;
  const bool waits = process_->ask(encode(attach), start_limit, ended).has_value();
  const bool sent = waits && process_->send_descriptor(descriptor);
  close(descriptor);
  const auto frame = sent ? process_->receive(start_limit, ended) : std::nullopt;
  if (!frame) {
    drop();
    return Error{ke::Failure::device, "the GPU worker does not start"};
  }
  KE_TRY(const WorkerAnswer answer, decode<WorkerAnswer>(*frame));
  if (answer.status == success) return {};
  drop();
  return Error{ke::Failure::device, "the GPU worker cannot attach: " + answer.text};
}

Result<WorkerAnswer> GpuWorker::ask(const WorkerRequest& request, std::chrono::milliseconds limit) {
  if (!process_) KE_TRY_VOID(start());
  bool ended = false;
  const auto frame = process_->ask(encode(request), limit, ended);
  if (!frame) {
    drop();
    return WorkerAnswer{.status = ended ? worker_ended : worker_silent,
                        .text = ended ? "the worker process ended" : "no answer in time",
                        .stage = "run"};
  }
  KE_TRY(WorkerAnswer answer, decode<WorkerAnswer>(*frame));
  if (poisons(answer.status)) drop();
  return answer;
}

Result<WorkerAnswer> GpuWorker::load(const Digest& build, const std::vector<std::string>& cubins,
                                     bool fresh) {
  const std::string key = build.hex();
  if (process_ && loaded_ == key && !fresh) return WorkerAnswer{};
  KE_TRY(WorkerAnswer answer,
         ask({.kind = WorkerRequest::Kind::load, .cubins = cubins}, load_limit));
  loaded_ = answer.status == success && process_ ? key : "";
  return answer;
}

}  // namespace ke::gpu
