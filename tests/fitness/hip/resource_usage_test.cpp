#include "fitness/hip/amd_builder.hpp"

#include <gmock/gmock.h>

namespace ke::hip {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string remark(const std::string& text) {
  return "kernel.hip:4:1: remark: " + text + " [-Rpass-analysis=kernel-resource-usage]\n";
}

// Remarks in the format of clang 19.
std::string remarks(const std::string& name, int vgprs, int spilled, int waves) {
  return remark("Function Name: " + name) + remark("    SGPRs: 18") +
         remark("    VGPRs: " + std::to_string(vgprs)) + remark("    AGPRs: 0") +
         remark("    ScratchSize [bytes/lane]: " + std::to_string(4 * spilled)) +
         remark("    Dynamic Stack: False") +
         remark("    Occupancy [waves/SIMD]: " + std::to_string(waves)) +
         remark("    SGPRs Spill: 1") + remark("    VGPRs Spill: " + std::to_string(spilled)) +
         remark("    LDS Size [bytes/block]: 128");
}

TEST(ResourceUsage, is_the_most_of_any_kernel_and_the_least_of_waves) {
  EXPECT_THAT(
      resource_usage(remarks("a", 40, 2, 8) + remarks("b", 128, 0, 4)),
      ElementsAre(Pair("agprs", 0), Pair("lds_bytes", 128), Pair("scratch_bytes", 8),
                  Pair("sgprs", 18), Pair("spills", 3), Pair("vgprs", 128), Pair("waves", 4)));
}

TEST(ResourceUsage, other_lines_say_nothing) {
  EXPECT_TRUE(resource_usage("").empty());
  EXPECT_TRUE(resource_usage("kernel.hip:4:1: warning: VGPRs: 13\nremark: VGPRs: 13\n").empty());
}

TEST(HipFlags, listed_ones_have_counterparts_in_nvrtc) {
  EXPECT_THAT(*nvrtc_flags("-fgpu-flush-denormals-to-zero"), ElementsAre("--ftz=true"));
  EXPECT_THAT(*nvrtc_flags("-fno-hip-fp32-correctly-rounded-divide-sqrt"),
              ElementsAre("--prec-div=false", "--prec-sqrt=false"));
  for (const char* flag : {"--use_fast_math", "-include", "@file", "", "-fplugin=x.so"}) {
    EXPECT_FALSE(nvrtc_flags(flag)) << flag;
  }
}

}  // namespace
}  // namespace ke::hip
