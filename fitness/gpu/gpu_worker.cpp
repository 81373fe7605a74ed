#include "fitness/gpu/gpu_worker.hpp"

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fitness/host/baseline_layout.hpp"
#include "fitness/host/python_baseline.hpp"

namespace ke::gpu {
namespace {

// Compiling a large module takes minutes.
constexpr std::chrono::milliseconds module_answer_limit{600'000};

std::string layout_text(const Task& task, const ModuleBaseline& baseline, int index,
                        std::int64_t bytes) {
  return json_text({{"gpu", index},
                    {"bytes", bytes},
                    {"compile_mode", compile_mode(baseline.language)},
                    {"tf32", uses_tf32(baseline.language)},
                    {"tensors", baseline_tensors(task)}});
}

Error no_start(const std::string& why) {
  return Error{ke::Failure::device, "the baseline in Python does not start on the GPU: " + why};
}

constexpr std::chrono::milliseconds start_limit{30'000};
constexpr std::chrono::milliseconds load_limit{5'000};

// After these errors a context is unusable.
bool poisons(std::int64_t status) {
  return status == uncorrectable_ecc || status == unknown ||
         (status >= illegal_address && status <= launch_failed &&
          status != launch_out_of_resources);
}

}  // namespace

Result<void> ModuleWorker::load(const ModuleBaseline& baseline) {
  if (process_ && loaded_ == baseline.language) return {};
  if (!python_) return no_start("no python3 with PyTorch for this GPU");
  process_.reset();
  const std::string folder = std::filesystem::temp_directory_path().string();
  KE_TRY(auto source, TemporaryFile::write(folder, ".py", baseline.source));
  KE_TRY(auto layout, TemporaryFile::write(folder, ".json",
                                           layout_text(task_, baseline, index_, memory_.bytes())));
  source_ = std::make_unique<TemporaryFile>(std::move(source));
  layout_ = std::make_unique<TemporaryFile>(std::move(layout));
  const PythonCommand command =
      python_command(*python_, "serve_gpu_baseline.py", {source_->path(), layout_->path()});
  KE_TRY(process_, HelperProcess::start_program(command.argv));
  KE_TRY(const int descriptor, memory_.descriptor());
  const bool sent = process_->send_descriptor(descriptor);
  close(descriptor);
  if (!sent) return no_start("it ended");
  KE_TRY(const ModuleAnswer ready, ask("{}"));
  if (!ready.failure.empty()) return no_start(ready.failure);
  loaded_ = baseline.language;
  return {};
}

Result<ModuleAnswer> ModuleWorker::ask(const std::string& request) {
  bool ended = !process_->send(request);
  const auto frame = ended ? std::nullopt : process_->receive(module_answer_limit, ended);
  ModuleAnswer answer;
  if (!frame) {
    process_.reset();
    answer.failure = ended ? "its process ended" : "no answer in ten minutes";
    return answer;
  }
  const Json json = parse_json(*frame);
  if (!json.is_object()) return Error{ke::Failure::device, "the baseline's answer is no object"};
  answer.failure = json.value("failure", "");
  answer.event_ns = json.value("event_ns", std::int64_t{0});
  answer.host_ns = json.value("host_ns", std::int64_t{0});
  return answer;
}

Result<ModuleAnswer> ModuleWorker::call(const Shapes& shapes,
                                        const std::vector<std::int64_t>& offsets,
                                        std::int64_t flush_bytes) {
  Json axes = Json::object(), dims = Json::array();
  for (std::size_t i = 0; i < task_.axis_arguments.size(); ++i) {
    axes[task_.axis_arguments[i]] = shapes.axis_arguments[i];
  }
  for (const TensorShape& tensor : shapes.tensors) dims.push_back(tensor.dims);
  return ask(json_text(
      {{"axes", axes}, {"dims", dims}, {"offsets", offsets}, {"flush_bytes", flush_bytes}}));
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
