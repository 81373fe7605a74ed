#include "fitness/opencl/program_check.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fitness/opencl/opencl_builder.hpp"

namespace ke::opencl {
namespace {

/// Compiles `source` to a library with g++.
std::string library_of(const std::string& source) {
  const std::string folder = testing::TempDir() + "ke_program_check";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a.cpp") << source;
  const std::string command = "g++ -O1 -fPIC -shared -nostdlib -Wl,-z,noseparate-code -o " +
                              folder + "/a.so " + folder + "/a.cpp";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(folder + "/a.so", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string word(std::size_t value) {
  const auto narrow = static_cast<std::uint32_t>(value);
  return {reinterpret_cast<const char*>(&narrow), sizeof narrow};
}

/// Packs a file in PoCL's format.
std::string packed(const std::string& path, const std::string& bytes) {
  return word(path.size()) + path + word(bytes.size()) + bytes;
}

constexpr char plain[] = "extern \"C\" int _pocl_kernel_k_workgroup(int x) { return x + 1; }\n";

TEST(ProgramCheck, libraries_are_found_with_their_paths) {
  const std::string library = library_of(plain);
  const std::string program =
      "header" + packed("/k/4-1-1/k.so", library) + packed("/k/0-0-0/k.so", library) + "end";
  const auto list = libraries_in(program);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].path, "/k/4-1-1/k.so");
  EXPECT_EQ(list[1].path, "/k/0-0-0/k.so");
  for (const ProgramLibrary& one : list) EXPECT_EQ(one.bytes, library);
  EXPECT_FALSE(check_program(program));
}

TEST(ProgramCheck, a_program_without_code_is_refused) {
  const auto problem = check_program("header and program.bc");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "missing_code");
}

TEST(ProgramCheck, calls_out_of_the_program_are_refused) {
  const auto problem = check_program(
      packed("/k/4-1-1/k.so", library_of("extern \"C\" int system(const char*);\n"
                                         "extern \"C\" int k() { return system(\"id\"); }\n")));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "forbidden_symbol");
  EXPECT_EQ(problem->message, "system");
}

TEST(ProgramCheck, code_that_runs_while_loading_is_refused) {
  const auto problem = check_program(
      packed("/k/4-1-1/k.so", library_of("int n;\n__attribute__((constructor)) static void early() "
                                         "{ n = 1; }\nextern \"C\" int k() { return n; }\n")));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "static_constructor");
}

TEST(ProgramCheck, a_damaged_library_is_refused) {
  std::string library = library_of(plain);
  library.replace(0x40, 64, 64, '\xff');  // the first program header and what follows it
  library.replace(0x3e, 2, 2, '\xff');    // the section that holds the names of sections
  const auto problem = check_program(packed("/k/4-1-1/k.so", library));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "damaged_object");
}

TEST(ProgramCheck, the_hash_is_of_code_and_not_of_its_order_or_surroundings) {
  const std::string one = packed("/k/4-1-1/k.so", library_of(plain));
  const std::string two =
      packed("/k/0-0-0/k.so",
             library_of("extern \"C\" int _pocl_kernel_k_workgroup(int x) { return x + 2; }\n"));
  const auto hash = [](const std::string& program) { return program_hash(program)->hex(); };
  EXPECT_EQ(hash("a" + one + two), hash("b" + two + one));
  EXPECT_NE(hash(one), hash(two));
}

TEST(OpenclFlags, only_listed_ones_pass) {
  for (const char* flag : {"-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-std=CL3.0"}) {
    EXPECT_EQ(refused_opencl_flag(flag), "") << flag;
  }
  for (const char* flag : {"-I/etc", "-DX=1", "-cl-std=CLC++", "-cl-kernel-arg-info", "-w", ""}) {
    EXPECT_NE(refused_opencl_flag(flag), "") << flag;
  }
}

}  // namespace
}  // namespace ke::opencl
