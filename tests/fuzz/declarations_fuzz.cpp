// Fuzzes kernel sources: genome and launch plan in their comments are read or refused with a place;
// a genome that was read admits the kernels that it draws.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/knob_space.hpp"
#include "core/random_stream.hpp"
#include "fitness/plan/launch_plan.hpp"

namespace ke {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void look_at(std::string_view source) {
  if (const auto plan = parse_launch_plan("fuzz", source); !plan) {
    require(plan.error().message.starts_with("fuzz"));
  }
  const auto space = parse_kernel_space("fuzz", source);
  if (!space) {
    require(space.error().message.starts_with("fuzz"));
    return;
  }
  const Kernel base = space->defaults("fuzz", std::string(source));
  RandomStream random(StreamKey{});
  if (const auto drawn = space->sample(base, random, 10)) require(space->admits(*drawn));
  (void)space->macros(base);
  (void)space->flags(base);
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ke::look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}
