#include "fitness/hip/hip_flags.hpp"

namespace ke::hip {
namespace {

struct Translation {
  std::string_view clang;
  std::string_view nvrtc, second = {};
};

constexpr Translation translations[] = {
    {"-std=c++17", "-std=c++17"},
    {"-std=c++20", "-std=c++20"},
    {"-ffast-math", "--use_fast_math"},
    {"-ffp-contract=fast", "--fmad=true"},
    {"-ffp-contract=off", "--fmad=false"},
    {"-fgpu-flush-denormals-to-zero", "--ftz=true"},
    {"-fno-hip-fp32-correctly-rounded-divide-sqrt", "--prec-div=false", "--prec-sqrt=false"}};

}  // namespace

std::optional<std::vector<std::string>> nvrtc_flags(std::string_view flag) {
  for (const Translation& one : translations) {
    if (one.clang != flag) continue;
    std::vector<std::string> options{std::string(one.nvrtc)};
    if (!one.second.empty()) options.emplace_back(one.second);
    return options;
  }
  return std::nullopt;
}

}  // namespace ke::hip
