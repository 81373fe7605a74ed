// Distinguishes variables in device memory, which exclude a kernel from a library, from constants.

#include "experiments/dispatch/gpu_codes.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

/// Compiles an object with g++ whose variables are in the sections that CUDA's compiler uses.
std::string object_of(const std::string& source) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "code.cpp") << source;
  const std::string stem = (folder.path() / "code").string();
  const std::string command = "/usr/bin/g++ -c -o " + stem + ".o " + stem + ".cpp";
  if (std::system(command.c_str()) != 0) return "";
  std::ifstream file(folder.path() / "code.o", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string object = R"(
#define IN(name) __attribute__((section(name), used))
IN(".nv.global") unsigned counter;
struct Float32 { static int parts; };
IN(".nv.global.init") int Float32::parts = 1;
IN(".nv.shared.k") int tile[32];
)";

TEST(DeviceVariables, are_those_that_no_declaration_calls_constant) {
  const std::string source = R"(
__device__ unsigned counter;
struct Float32 { static constexpr int parts = 1; };
__device__ void f() { int parts = 2; }
)";
  const auto found = device_variables(object_of(object), source);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::ElementsAre("counter"));
}

TEST(DeviceVariables, are_none_where_constants_stand_outside_of_functions) {
  const std::string source = R"(
// int counter; not this one
template <bool FAST> __device__ float first(const float* x) { return x[0]; }
constexpr int other = 1, counter = 26;
namespace inner { struct Float32 { static constexpr int parts = 1; }; }
)";
  const auto found = device_variables(object_of(object), source);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::IsEmpty());
}

TEST(DeviceVariables, may_have_the_name_of_a_constant_inside_a_function) {
  const std::string source = R"(
__device__ const unsigned counter = 0;
struct Float32 { static int parts; };
__device__ void f() { const int parts = 2; }
)";
  const auto found = device_variables(object_of(object), source);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::ElementsAre("parts"));
}

TEST(DeviceVariables, are_looked_for_in_elf_files_alone) {
  EXPECT_FALSE(device_variables("no machine code", ""));
}

}  // namespace
}  // namespace ke
