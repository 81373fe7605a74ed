#pragma once
// The judge's kernels and some candidates as a library for the host: threads of a block take turns,
// waves have 64 lanes. For tests/support/fake_hip.cpp.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fitness/gpu/judge_kernels.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke::test {

inline constexpr char names_for_judge[] = R"(
using std::isinf;
using std::isnan;
inline long long __double_as_longlong(double x) { long long bits; std::memcpy(&bits, &x, 8); return bits; }
inline double __longlong_as_double(long long bits) { double x; std::memcpy(&x, &bits, 8); return x; }
template <typename T> T __shfl_down(T value, int lanes) {
  T taken{};
  const int from = emulated::lane() + lanes;
  emulated::with_values_of_warp(value, [&](const T* of) { taken = of[from < warpSize ? from : emulated::lane()]; });
  return taken;
}
template <typename T> void atomicAdd(T* to, T value) { *to += value; }
template <typename T> void atomicMin(T* to, T value) { *to = std::min(*to, value); }
template <typename T> void atomicMax(T* to, T value) { *to = std::max(*to, value); }
template <typename... T>
bool on_host(void (*kernel)(T...), void** arguments, const unsigned* grid, const unsigned* block) {
  alignas(16) static char shared[1024];
  return emulated::launch(kernel, arguments, grid, block, shared, 0, sizeof shared);
}
#define KERNEL(name)                                                                           \
  extern "C" bool launch_##name(void** arguments, const unsigned* grid, const unsigned* block) { \
    return on_host(name, arguments, grid, block);                                              \
  }
// The judge's kernels work with any number of threads: few, since they are dear here.
#define KERNEL_OF(threads, name)                                                         \
  extern "C" bool launch_##name(void** arguments, const unsigned*, const unsigned*) {    \
    const unsigned one[] = {1, 1, 1}, few[] = {threads, 1, 1};                           \
    return on_host(name, arguments, one, few);                                           \
  }
)";
inline constexpr char launchers_of_judge[] =
    "\nKERNEL_OF(1, ke_flush)\nKERNEL_OF(1, ke_noise)\nKERNEL_OF(1, ke_check_gap)\n"
    "KERNEL_OF(1, ke_fill)\nKERNEL_OF(1, ke_answer)\n"
    "KERNEL_OF(1, ke_place)\nKERNEL_OF(1, ke_intact)\nKERNEL_OF(192, ke_compare)\n";

/// Builds a library in `folder` from the judge's kernels and `sources`, whose kernels are `names`;
/// returns its path.
inline std::string host_kernels(const TemporaryFolder& folder, const std::string& sources,
                                const std::vector<std::string>& names) {
  std::string text = std::string(names_for_judge) + gpu::judge_kernels + launchers_of_judge;
  text += sources;
  for (const std::string& name : names) text += "\nKERNEL(" + name + ")\n";
  folder.write("kernels.cpp", text);
  const std::string path = folder.file("kernels.so");
  const std::string command =
      "g++ -std=c++17 -O1 -w -ffp-contract=off -shared -fPIC -D__HIP_PLATFORM_AMD__ "
      "-DEMULATED_WARP_SIZE=64 -I" KE_SOURCE_DIR
      "/tests/experiments/emulation -include hip_block.h -o " +
      path + " " + folder.file("kernels.cpp");
  EXPECT_EQ(std::system(command.c_str()), 0);
  return path;
}

}  // namespace ke::test
