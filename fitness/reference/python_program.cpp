#include "fitness/reference/python_program.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json.hpp"
#include "fitness/host/bench.hpp"

namespace ke {
namespace {

// OMP_NUM_THREADS is 1, but libraries start thread pools anyway, and some wait for them forever.
constexpr std::uint64_t most_threads = 64;
// PyTorch maps gigabytes before it computes anything.
constexpr std::uint64_t memory_bytes = std::uint64_t{12} << 30;

std::string seen_by_reference(Dtype dtype) {
  return is_float(dtype) ? "float64" : std::string(to_string(dtype));
}

std::string signature_text(const Task& task) {
  Json tensors = Json::array();
  for (const TensorSpec& tensor : task.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"dtype", seen_by_reference(tensor.dtype)},
                       {"output", tensor.output}});
  }
  using reference_wire::Answer;
  const Json answers = {{"ready", Answer::ready},         {"not_loaded", Answer::not_loaded},
                        {"no_symbol", Answer::no_symbol}, {"done", Answer::done},
                        {"threw", Answer::threw},         {"no_memory", Answer::no_memory}};
  const Json wire = {{"socket_fd", reference_wire::socket_fd},
                     {"memory_fd", reference_wire::memory_fd},
                     {"slot_bytes", reference_wire::slot_bytes},
                     {"max_arguments", reference_wire::max_arguments},
                     {"max_dimensions", reference_wire::max_dimensions},
                     {"no_tensor", Answer::no_tensor},
                     {"answers", answers}};
  return json_text({{"tensors", tensors}, {"axes", task.axis_arguments}, {"wire", wire}});
}

}  // namespace

Result<Reference> start_python_reference(const Task& task, const PythonHome& python,
                                         const std::string& tools_dir, SandboxLevel level,
                                         const std::string& scratch) {
  KE_TRY(auto source, TemporaryFile::write(scratch, ".py", task.reference_source));
  KE_TRY(auto signature, TemporaryFile::write(scratch, ".json", signature_text(task)));
  using Files = std::pair<TemporaryFile, TemporaryFile>;
  const auto files = std::make_shared<const Files>(std::move(source), std::move(signature));
  ReferenceProgram program;
  program.file = task.reference_file;
  program.tools_dir = tools_dir;
  program.level = level;
  program.memory_bytes = memory_bytes;
  program.threads = most_threads;
  program.profile = SandboxProfile::compiler;  // an interpreter may read files at any time
  PythonCommand command =
      python_command(python, "serve_reference.py", {files->first.path(), files->second.path()});
  program.argv = std::move(command.argv);
  program.readable = std::move(command.readable);
  program.files = files;
  return Reference::start(std::move(program));
}

}  // namespace ke
