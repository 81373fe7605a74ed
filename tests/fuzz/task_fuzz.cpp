// Fuzzes task.yaml in a folder that holds a real task's sources: the result is a task whose tensors
// all have a size, or an error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "experiments/run/yaml/read_yaml.hpp"
#include "fitness/task.hpp"

namespace ke {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void look_at(std::string_view text) {
  const auto document = read_yaml_text("task.yaml", text);
  if (!document) return;
  const auto task = read_task(*document, KE_FUZZ_TASK);
  if (!task) {
    require(!task.error().message.empty());
    return;
  }
  require(!task->workloads.empty() && !task->tensors.empty());
  for (const Workload& workload : task->workloads) {
    for (const TensorSpec& tensor : task->tensors) {
      const auto elements = task->elements(tensor, workload);
      require(elements && *elements > 0);
    }
  }
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ke::look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}
