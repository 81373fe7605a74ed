#include "fitness/python/dsls.hpp"

#include <cstddef>
#include <iterator>

#include "core/text.hpp"

namespace ke::python {
namespace {

constexpr std::string_view packages[] = {"triton", "cutlass", "flydsl"};  // of each in `dsls`
static_assert(std::size(packages) == std::size(dsls));

/// "cutlass" of "import cutlass.cute as cute" and of "from cutlass import cute", or "".
std::string_view imported(std::string_view line) {
  for (const std::string_view word : {"import ", "from "}) {
    if (!line.starts_with(word)) continue;
    const std::string_view rest = trim(line.substr(word.size()));
    return rest.substr(0, rest.find_first_of(" .,\r"));
  }
  return {};
}

}  // namespace

std::string_view dsl_of_source(std::string_view source) {
  for (const std::string_view line : split(source, '\n')) {
    const std::string_view package = imported(line);
    for (std::size_t i = 0; i < std::size(packages); ++i) {
      if (package == packages[i]) return dsls[i];
    }
  }
  return dsls[0];
}

std::string_view refusal_on_nvidia(std::string_view dsl) {
  if (dsl != "flydsl") return {};
  return "FlyDSL compiles for AMD GPUs alone, and kernels of Python DSLs are judged on an NVIDIA "
         "GPU; "
         "kernels in HIP can be compiled for AMD GPUs: device: hip";
}

}  // namespace ke::python
