#include "fitness/gpu/python_server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fitness/host/baseline_layout.hpp"

namespace ke::gpu {
namespace {

// Compiling a large module takes minutes.
constexpr std::chrono::milliseconds request_limit{600'000};

Json failure(const std::string& why) { return {{"failure", why}}; }

}  // namespace

Json PythonServer::request_at(const Shapes& shapes) const {
  Json axes = Json::object(), dims = Json::array();
  for (std::size_t i = 0; i < task_.axis_arguments.size(); ++i) {
    axes[task_.axis_arguments[i]] = shapes.axis_arguments[i];
  }
  for (const TensorShape& tensor : shapes.tensors) dims.push_back(tensor.dims);
  return {{"axes", axes}, {"dims", dims}};
}

Result<void> PythonServer::start() {
  if (running()) return {};
  if (!python_) {
    return Error{ke::Failure::device, "no python3 with PyTorch for this GPU runs the baseline"};
  }
  ready_ = false;
  files_.clear();
  const Json layout = {
      {"tensors", baseline_tensors(task_)}, {"gpu", index_}, {"bytes", memory_.bytes()}};
  const std::string folder = std::filesystem::temp_directory_path().string();
  KE_TRY(TemporaryFile source, TemporaryFile::write(folder, ".py", task_.reference_source));
  KE_TRY(TemporaryFile described, TemporaryFile::write(folder, ".json", json_text(layout)));
  const PythonCommand command =
      python_command(*python_, program_, {source.path(), described.path()});
  KE_TRY(auto process, HelperProcess::start(command.argv));
  KE_TRY(const int descriptor, memory_.descriptor());
  const bool sent = process->send_descriptor(descriptor);
  close(descriptor);
  if (!sent) return no_start("it ended");
  process_ = std::move(process);
  files_.push_back(std::move(source));
  files_.push_back(std::move(described));
  return {};
}

Error PythonServer::no_start(const std::string& why) const {
  return {ke::Failure::device, fmt::format("{} does not start on the GPU: {}", program_, why)};
}

Result<void> PythonServer::ready() {
  if (ready_) return {};
  const Json answer = ask(Json::object());
  if (answer.contains("failure")) return no_start(answer.value("failure", ""));
  ready_ = true;
  return {};
}

Json PythonServer::ask(const Json& request) {
  if (!process_) return failure("its process ended");
  bool ended = false;
  const auto frame = process_->ask(json_text(request), request_limit, ended);
  if (!frame) {
    process_.reset();
    return failure(ended ? "its process ended" : "no answer in ten minutes");
  }
  const Json answer = parse_json(*frame);
  return answer.is_object() ? answer : failure("its answer is no object");
}

}  // namespace ke::gpu
