#include "fitness/gpu/module_worker.hpp"

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
                    {"tensors", baseline_tensors(task)}});
}

Error no_start(const std::string& why) {
  return Error{ke::Failure::device, "the baseline in Python does not start on the GPU: " + why};
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

}  // namespace ke::gpu
