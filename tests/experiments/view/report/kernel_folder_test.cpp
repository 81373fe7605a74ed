#include "experiments/view/report/kernel_folder.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/knob_space.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Candidate candidate_in(const std::string& language, const std::string& source) {
  Candidate candidate;
  candidate.kernel = parse_kernel_space("k", source)->defaults("k", source);
  candidate.kernel.language = language;
  return candidate;
}

constexpr const char* cuda =
    "// @knob N int {1, 2} = 2\n// @flags -std=c++17; --use_fast_math?\n"
    "// @launch k grid=(1) block=(32) args=(x)\n__global__ void k(float* x) { x[N] = 0; }\n";

TEST(KernelFolder, of_a_cuda_kernel_is_built_by_nvcc_and_never_by_a_cpp_compiler) {
  test::TemporaryFolder folder;
  const auto written = write_kernel_folder(folder.text() + "/out", candidate_in("cuda", cuda),
                                           build_of_language("cuda"), "");
  ASSERT_TRUE(written);
  EXPECT_EQ(written->source, folder.text() + "/out/kernel.cu");
  // The nvcc stand-in stores its arguments.
  folder.write("nvcc", "#!/bin/sh\necho \"$@\" >called\n");
  chmod((folder.text() + "/nvcc").c_str(), 0755);
  const std::string line =
      "NVCC=" + folder.text() + "/nvcc ARCH=sm_90a CXX=false sh " + written->script;
  ASSERT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(read(folder.text() + "/out/called"),
            "-cubin -arch=sm_90a -std=c++17 -DN=2 -o kernel.cubin kernel.cu\n");
}

TEST(KernelFolder, of_a_kernel_that_is_compiled_where_it_is_launched_has_no_script) {
  test::TemporaryFolder folder;
  const std::string source = "// @knob N int {1, 2} = 2\n__kernel void k(__global float* x) {}\n";
  const auto written = write_kernel_folder(folder.text(), candidate_in("opencl", source),
                                           build_of_language("opencl"), "");
  ASSERT_TRUE(written);
  EXPECT_EQ(written->source, folder.text() + "/kernel.cl");
  EXPECT_EQ(written->script, "");
  EXPECT_THAT(read(folder.text() + "/candidate.json"), HasSubstr("\"N\""));
}

TEST(KernelFolder, holds_the_headers_that_its_script_names) {
  test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.text() + "/headers");
  folder.write("headers/mine.hpp", "#define ONE 1\n");
  const std::string source =
      "#include \"mine.hpp\"\nextern \"C\" void kernel(float* y) { *y = ONE; }\n";
  const auto written = write_kernel_folder(folder.text() + "/out", candidate_in("cpp", source),
                                           build_of_language("cpp"), folder.text() + "/headers");
  ASSERT_TRUE(written);
  EXPECT_EQ(std::system(("sh " + written->script).c_str()), 0);
}

}  // namespace
}  // namespace ke
