#include "fitness/gpu/gpu_worker.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "fitness/gpu/python_server.hpp"
#include "fitness/host/baseline_layout.hpp"
#include "fitness/host/python_baseline.hpp"

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

ModuleWorker::ModuleWorker(const Task& task, std::shared_ptr<const PythonHome> python, int index,
                           const GpuMemory& memory)
    : task_(task), python_(std::move(python)), index_(index), memory_(memory) {}

ModuleWorker::~ModuleWorker() = default;

Result<void> ModuleWorker::start() {
  if (server_ && server_->running()) return {};
  if (!python_) {
    return Error{ke::Failure::device, "no python3 with PyTorch for this GPU runs the baseline"};
  }
  server_.reset();
  KE_TRY(server_, PythonServer::start(*python_, "serve_gpu_baseline.py", task_.reference_source,
                                      {{"tensors", baseline_tensors(task_)}}, index_, memory_));
  return {};
}

Result<void> ModuleWorker::load(const std::string& baseline) {
  KE_TRY_VOID(start());
  baseline_ = baseline;
  return server_->ready();
}

Result<ModuleAnswer> ModuleWorker::call(const Shapes& shapes,
                                        const std::vector<std::int64_t>& offsets,
                                        std::int64_t flush_bytes) {
  Json request = request_at(task_, shapes);
  request["compile_mode"] = compile_mode(baseline_);
  request["tf32"] = uses_tf32(baseline_);
  request["offsets"] = offsets;
  request["flush_bytes"] = flush_bytes;
  const Json json = server_->ask(request);
  ModuleAnswer answer;
  answer.failure = json.value("failure", "");
  answer.event_ns = json.value("event_ns", std::int64_t{0});
  answer.host_ns = json.value("host_ns", std::int64_t{0});
  return answer;
}

Result<void> GpuWorker::start() {
  std::vector<std::string> words{"run", std::to_string(index_)};
  if (!hip_library_.empty()) words.push_back(hip_library_);
  KE_TRY(process_, HelperProcess::start(tools_dir_, words));
  loaded_.clear();
  WorkerRequest attach;
  attach.kind = WorkerRequest::Kind::attach;
  attach.bytes = memory_.bytes();
  attach.cubins = {cubin_};
  KE_TRY(const int descriptor, memory_.descriptor());
  bool ended = false;
  const bool waits = process_->send(encode(attach)) && process_->receive(start_limit, ended);
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

Result<WorkerAnswer> GpuWorker::exchange(const WorkerRequest& request,
                                         std::chrono::milliseconds limit) {
  WorkerAnswer none;
  bool ended = !process_->send(encode(request));
  const auto frame = ended ? std::nullopt : process_->receive(limit, ended);
  if (!frame) {
    none.status = ended ? worker_ended : worker_silent;
    none.stage = "run";
    none.text = ended ? "the worker process ended" : "no answer in time";
    drop();
    return none;
  }
  KE_TRY(WorkerAnswer answer, decode<WorkerAnswer>(*frame));
  if (poisons(answer.status)) drop();
  return answer;
}

Result<WorkerAnswer> GpuWorker::ask(const WorkerRequest& request, std::chrono::milliseconds limit) {
  if (!process_) KE_TRY_VOID(start());
  return exchange(request, limit);
}

Result<WorkerAnswer> GpuWorker::load(const Digest& build, const std::vector<std::string>& cubins,
                                     bool fresh) {
  const std::string key = build.hex();
  if (process_ && loaded_ == key && !fresh) return WorkerAnswer{};
  WorkerRequest request;
  request.kind = WorkerRequest::Kind::load;
  request.cubins = cubins;
  KE_TRY(WorkerAnswer answer, ask(request, load_limit));
  loaded_ = answer.status == success && process_ ? key : "";
  return answer;
}

}  // namespace ke::gpu
