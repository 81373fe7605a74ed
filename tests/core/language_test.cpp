#include "core/language.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/knob_space.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string name_of(std::string_view path, std::string_view source) {
  const Language* language = language_of_file(path, source);
  return language == nullptr ? "none" : language->name;
}

TEST(Language, a_file_tells_its_language_by_its_ending) {
  EXPECT_EQ(name_of("a/kernel.cpp", ""), "cpp");
  EXPECT_EQ(name_of("kernel.cu", ""), "cuda");
  EXPECT_EQ(name_of("kernel.hip", ""), "hip");
  EXPECT_EQ(name_of("kernel.cl", ""), "opencl");
  EXPECT_EQ(name_of("kernel.f90", ""), "none");
}

TEST(Language, a_python_file_tells_its_language_by_its_first_import) {
  EXPECT_EQ(name_of("k.py", "# import cutlass\nimport triton\n"), "triton");
  EXPECT_EQ(name_of("k.py", "import os\nfrom cutlass import cute\n"), "cute");
  EXPECT_EQ(name_of("k.py", "import cutlass.cute as cute\nimport triton\n"), "cute");
  EXPECT_EQ(name_of("k.py", "import  flydsl.compiler as flyc"), "flydsl");
  EXPECT_EQ(name_of("k.py", "import tritonclient"), "triton");
  EXPECT_EQ(name_of("k.py", ""), "triton");
}

TEST(Language, every_example_is_a_whole_kernel_with_admitted_defaults) {
  for (const Language& language : languages()) {
    SCOPED_TRACE(language.name);
    EXPECT_EQ(missing_entry(language, language.example), "");
    const auto space = parse_kernel_space(language.file, language.example);
    ASSERT_TRUE(space) << space.error().message;
    EXPECT_TRUE(space->admits(space->defaults(language.file, language.example)));
    EXPECT_FALSE(space->knobs.empty());
    EXPECT_THAT(language.rules, Not(IsEmpty()));
    EXPECT_THAT(language.rules, Not(HasSubstr("{{")));
    EXPECT_TRUE(language.file.ends_with(language.endings.front()));
  }
}

TEST(Language, a_cuda_kernel_defines_what_its_plan_launches) {
  const Language& cuda = *find_language("cuda");
  const std::string plan = "// @launch first grid=(1) block=(32)\n// @launch second grid=(1)\n";
  const std::string first =
      "extern \"C\" __global__ void __launch_bounds__(32) first(float* y) {}\n";
  EXPECT_EQ(missing_entry(cuda, first),
            "it has no launch plan: no comment line '// @launch KERNEL grid=(..)'");
  EXPECT_EQ(missing_entry(cuda, plan + first), "@launch names 'second', which it does not define");
  EXPECT_EQ(missing_entry(cuda, plan + first + "__global__ void second() {\n}\n"), "");
  EXPECT_EQ(missing_entry(cuda, "// @launch f grid=(1)\nvoid f() {}\n"),
            "it has no function under '__global__'");
  EXPECT_THAT(missing_entry(cuda, "extern \"C\" void kernel(const float* x, float* y) { }"),
              HasSubstr("no launch plan"));
}

TEST(Language, a_kernel_made_by_a_macro_is_known_by_its_name_where_the_parent_is_so_too) {
  const Language& cuda = *find_language("cuda");
  const std::string parent = "// @launch f grid=(1)\n__global__ ENTRY(f)\n";
  EXPECT_EQ(missing_entry(cuda, parent, parent), "");
  EXPECT_EQ(missing_entry(cuda, parent), "@launch names 'f', which it does not define");
}

TEST(Language, kernels_of_a_macro_of_the_file_are_defined_by_it) {
  const Language& cuda = *find_language("cuda");
  const std::string plan = "// @launch rows_4 grid=(1)\n";
  for (const char* macro :
       {"#define ROWS(V) extern \"C\" __global__ void rows_##V(float* y) {}\nROWS(4)\n",
        "#define ROWS(NAME) __global__ void NAME(float* y) {}\nROWS(rows_4)\n",
        "#define ROWS(V) __global__ void V ## _4(float* y) {}\nROWS(rows)\n"}) {
    EXPECT_EQ(missing_entry(cuda, plan + macro), "") << macro;
  }
  for (const char* other :
       {"#define ROWS(V) __global__ void cols_##V(float* y) {}\nROWS(4)\n",
        "#define N 4\n__global__ void other(float* y) {}\n",
        "#define N 4\n// rows_4 is left out\n__global__ void other(float* y) {}\n"}) {
    EXPECT_EQ(missing_entry(cuda, plan + other), "@launch names 'rows_4', which it does not define")
        << other;
  }
}

TEST(Language, a_python_kernel_is_decorated) {
  const Language& triton = *find_language("triton");
  EXPECT_EQ(missing_entry(triton, "# @launch f grid=(1)\n@triton.jit\ndef f(x):\n    pass\n"), "");
  EXPECT_EQ(missing_entry(triton, "# @launch f grid=(1)\ndef f(x):\n    pass\n"),
            "it has no function under 'triton.jit'");
}

TEST(Language, too_many_launches_are_refused_without_looking_at_each) {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "// @launch k grid=(1)\n";
  EXPECT_EQ(missing_entry(*find_language("hip"), many), "it has more than 128 @launch lines");
}

TEST(Language, fences_of_other_languages_do_not_fit) {
  const Language& cuda = *find_language("cuda");
  for (const char* label : {"", "cuda", "cpp", "c++", "nvcc"}) EXPECT_TRUE(fits_fence(cuda, label));
  EXPECT_FALSE(fits_fence(cuda, "python"));
  EXPECT_FALSE(fits_fence(*find_language("triton"), "cuda"));
}

TEST(Language, a_bad_description_says_what_is_wrong) {
  const auto complaint = [](std::string_view text) {
    const auto language = parse_language("mine", text);
    return language ? std::string("none") : language.error().message;
  };
  const std::string head = "title: Mine\nendings: .m\nfences: mine\ncomment: //\n";
  EXPECT_EQ(complaint("title: Mine\n"),
            "mine: expected a head, rules and an example with '---' between");
  EXPECT_EQ(complaint(head + "entry: main\n---\n\n---\n"),
            "mine: entry: 'main' is not one of c_function, launched, decorated");
  EXPECT_EQ(complaint(head + "colour: red\n---\n\n---\n"), "mine: unknown key 'colour'");
  EXPECT_EQ(complaint("title: Mine\n---\n\n---\n"),
            "mine: title, endings, fences and comment must all be given");
  EXPECT_EQ(complaint(head + "entry: launched\n---\n\n---\n"),
            "mine: keyword goes with entry: launched or decorated");
  EXPECT_EQ(complaint(head + "---\n{{knots}}\n---\n"), "mine: there is no text 'shared_knots.txt'");
  EXPECT_EQ(complaint(head + "---\n{{knobs}}\n---\nkernel() {}\n"), "none");
}

}  // namespace
}  // namespace ke
