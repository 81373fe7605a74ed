#include "fitness/gpu/python_server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ke::gpu {
namespace {

// Compiling a large module takes minutes.
constexpr std::chrono::milliseconds request_limit{600'000};

Json failure(const std::string& why) { return {{"failure", why}}; }

}  // namespace

Json request_at(const Task& task, const Shapes& shapes) {
  Json axes = Json::object(), dims = Json::array();
  for (std::size_t i = 0; i < task.axis_arguments.size(); ++i) {
    axes[task.axis_arguments[i]] = shapes.axis_arguments[i];
  }
  for (const TensorShape& tensor : shapes.tensors) dims.push_back(tensor.dims);
  return {{"axes", axes}, {"dims", dims}};
}

Result<std::unique_ptr<PythonServer>> PythonServer::start(const PythonHome& python,
                                                          const std::string& program,
                                                          const std::string& source, Json layout,
                                                          int index, const GpuMemory& memory) {
  layout["gpu"] = index;
  layout["bytes"] = memory.bytes();
  const std::string folder = std::filesystem::temp_directory_path().string();
  KE_TRY(auto source_file, TemporaryFile::write(folder, ".py", source));
  KE_TRY(auto layout_file, TemporaryFile::write(folder, ".json", json_text(layout)));
  const PythonCommand command =
      python_command(python, program, {source_file.path(), layout_file.path()});
  KE_TRY(auto process, HelperProcess::start_program(command.argv));
  std::unique_ptr<PythonServer> server(new PythonServer(
      program, std::move(source_file), std::move(layout_file), std::move(process)));
  KE_TRY(const int descriptor, memory.descriptor());
  const bool sent = server->process_->send_descriptor(descriptor);
  close(descriptor);
  if (!sent) return server->no_start("it ended");
  return server;
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
  bool ended = !process_->send(json_text(request));
  const auto frame = ended ? std::nullopt : process_->receive(request_limit, ended);
  if (!frame) {
    process_.reset();
    return failure(ended ? "its process ended" : "no answer in ten minutes");
  }
  const Json answer = parse_json(*frame);
  return answer.is_object() ? answer : failure("its answer is no object");
}

}  // namespace ke::gpu
