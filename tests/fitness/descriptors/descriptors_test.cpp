// Descriptors of kernels whose shape follows from how they were compiled.

#include "fitness/descriptors/descriptors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitness/descriptors/elf.hpp"
#include "fitness/descriptors/instruction.hpp"
#include "tests/support/compiler_test.hpp"

namespace ke {
namespace {

using testing::DoubleEq;
using testing::HasSubstr;

const std::string kernel_head =
    "#include <cstddef>\nextern \"C\" void kernel(const float* __restrict in, float* __restrict "
    "out,"
    " std::size_t n)\n";
const std::string axpb_kernel =
    "{ for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f; }\n";

class DescriptorsTest : public test::CompilerTest {
 protected:
  static Descriptors describe(const std::string& source, std::vector<std::string> flags,
                              std::uint64_t padding = 0) {
    BuildRequest request;
    request.source = source;
    request.flags = std::move(flags);
    request.padding = padding;
    const auto output = compiler_->build(request);
    EXPECT_TRUE(output && output->ok()) << (output ? output->reason + output->message : "");
    Tools options;
    options.tools_dir = KE_BINARY_DIR;
    options.level = compiler_->options().level;
    auto descriptors = describe_binary(options, output->shared_object);
    EXPECT_TRUE(descriptors) << (descriptors ? "" : descriptors.error().message);
    return descriptors ? *std::move(descriptors) : Descriptors{};
  }
};

TEST_F(DescriptorsTest, the_width_follows_the_instruction_set) {
  const std::string source = kernel_head + axpb_kernel;
  const std::pair<std::vector<std::string>, double> cases[] = {
      {{"-O2", "-fno-tree-vectorize"}, 32},
      {{"-O3"}, 128},
      {{"-O3", "-mavx2", "-mfma"}, 256},
      {{"-O3", "-mavx512f", "-mprefer-vector-width=512"}, 512}};
  for (const auto& [flags, width] : cases) {
    const Descriptors d = describe(source, flags);
    EXPECT_EQ(d.measures.at("vector_width"), width) << flags.back();
    EXPECT_EQ(d.measures.at("vector_fraction"), width == 32 ? 0 : 1) << flags.back();
    EXPECT_EQ(d.measures.at("undecoded_bytes"), 0);
    EXPECT_FALSE(d.hot_loop.empty());
    EXPECT_LE(d.hot_loop.size(), 40u);
  }
}

// axpb does two flops per load and store of the same width, for any width.
TEST_F(DescriptorsTest, the_intensity_of_axpb_is_a_quarter) {
  for (const char* isa : {"-msse2", "-mavx2", "-mfma"}) {
    const Descriptors d = describe(kernel_head + axpb_kernel, {"-O3", isa, "-fno-unroll-loops"});
    // The multiplication by two becomes an addition; a fused one has its constants in registers.
    EXPECT_NEAR(d.measures.at("arithmetic_intensity"), 0.25, 0.01) << isa;
  }
}

// A kernel for all sizes, one with a version for whole blocks, one that transposes in registers.
TEST_F(DescriptorsTest, functions_and_lane_moves_are_those_that_the_entry_reaches) {
  const std::vector<std::string> flags = {"-O2", "-mavx", "-fno-tree-vectorize"};
  const std::string other =
      "extern \"C\" __attribute__((noinline)) float half(float x) { return x / 2; }\n";
  const Descriptors plain = describe(other + kernel_head + axpb_kernel, flags);
  EXPECT_EQ(plain.measures.at("functions"), 1);
  EXPECT_EQ(plain.measures.at("lane_moves"), 0);
  const Descriptors calls = describe(
      other + kernel_head + "{ for (std::size_t i = 0; i < n; ++i) out[i] = half(in[i]); }\n",
      flags);
  EXPECT_EQ(calls.measures.at("functions"), 2);
  const Descriptors transposes = describe(
      "#include <immintrin.h>\n" + kernel_head +
          "{ for (std::size_t i = 0; i + 16 <= n; i += 16) { __m128 a = _mm_loadu_ps(in + i), b = "
          "_mm_loadu_ps(in + i + 4), c = _mm_loadu_ps(in + i + 8), d = _mm_loadu_ps(in + i + 12);\n"
          "_MM_TRANSPOSE4_PS(a, b, c, d); _mm_storeu_ps(out + i, a); _mm_storeu_ps(out + i + 4, "
          "b);\n"
          "_mm_storeu_ps(out + i + 8, c); _mm_storeu_ps(out + i + 12, d); } }\n",
      flags);
  EXPECT_EQ(transposes.measures.at("lane_moves"), 4);  // its four unpacks
}

TEST_F(DescriptorsTest, unrolling_multiplies_the_operations_of_an_iteration) {
  const std::string pragma = "#pragma GCC unroll 4\n";
  const std::string loop = "for (std::size_t i = 0; i < n; ++i) out[i] = in[i] * in[i] + 1.0f;\n";
  const Descriptors plain =
      describe(kernel_head + "{" + loop + "}", {"-O2", "-fno-tree-vectorize"});
  const Descriptors unrolled =
      describe(kernel_head + "{\n" + pragma + loop + "}", {"-O2", "-fno-tree-vectorize"});
  EXPECT_EQ(plain.measures.at("ops_per_iteration"), 2);
  EXPECT_EQ(unrolled.measures.at("ops_per_iteration"), 8);
  EXPECT_LT(unrolled.measures.at("branch_share"), plain.measures.at("branch_share"));
  EXPECT_GT(unrolled.measures.at("code_bytes"), plain.measures.at("code_bytes"));
}

TEST_F(DescriptorsTest, scratch_counts_stack_static_and_heap_memory) {
  const Descriptors none = describe(kernel_head + axpb_kernel, {"-O2"});
  EXPECT_EQ(none.measures.at("scratch_bytes"), 0);
  EXPECT_FALSE(none.allocates);
  const Descriptors stack = describe(
      kernel_head +
          "{ volatile float t[1024]; for (std::size_t i = 0; i < n; ++i) t[i & 1023] = in[i];"
          " for (std::size_t i = 0; i < n; ++i) out[i] = t[i & 1023]; }",
      {"-O2"});
  EXPECT_NEAR(stack.measures.at("scratch_bytes"), 4096, 256);
  const Descriptors fixed = describe("static float table[2048];\n" + kernel_head +
                                         "{ for (std::size_t i = 0; i < n; ++i) { table[i & 2047] "
                                         "+= in[i]; out[i] = table[i & 2047]; } }",
                                     {"-O2"});
  EXPECT_NEAR(fixed.measures.at("scratch_bytes"), 8192, 64);
  const Descriptors heap =
      describe("#include <cstdlib>\n" + kernel_head +
                   "{ float* t = (float*)std::malloc(4 * n); for (std::size_t i = 0; i < n; ++i) "
                   "t[n - i - 1] = in[i];"
                   " for (std::size_t i = 0; i < n; ++i) out[i] = t[i]; std::free(t); }",
               {"-O2"});
  EXPECT_TRUE(heap.allocates);
}

TEST_F(DescriptorsTest, comments_names_dead_code_and_layout_change_nothing) {
  const std::vector<std::string> flags{"-O3", "-mavx2"};
  const Descriptors base =
      describe("static float twice(float x) { return 2 * x; }\n" + kernel_head +
                   "{ for (std::size_t i = 0; i < n; ++i) out[i] = twice(in[i]) + 1.0f; }\n",
               flags);
  const Descriptors renamed =
      describe("// words\nstatic float f(float y) { return 2 * y; }\n\n" + kernel_head +
                   "{ /* more */ for (std::size_t j = 0; j < n; ++j) out[j] = f(in[j]) + 1.0f; }\n",
               flags);
  EXPECT_EQ(base.measures, renamed.measures);
  EXPECT_EQ(base.hot_loop, renamed.hot_loop);
  // Global functions, which the compiler must keep although nothing reaches them.
  const Descriptors dead = describe(
      "void unused(double* p, int n) { for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) "
      "p[i] = p[i] * p[j] + p[j] * 3 + p[i] / p[j]; }\n"
      "static float twice(float x) { return 2 * x; }\n" +
          kernel_head +
          "{ for (std::size_t i = 0; i < n; ++i) out[i] = twice(in[i]) + 1.0f; }\n"
          "float later(const float* p) { float s = 0; for (int i = 0; i < 64; ++i) s += p[i] * "
          "p[i]; return s; }\n",
      flags);
  EXPECT_EQ(base.measures, dead.measures);
  EXPECT_EQ(base.hot_loop, dead.hot_loop);
  const Descriptors moved =
      describe("static float twice(float x) { return 2 * x; }\n" + kernel_head +
                   "{ for (std::size_t i = 0; i < n; ++i) out[i] = twice(in[i]) + 1.0f; }\n",
               flags, 7);
  EXPECT_EQ(base.measures, moved.measures);
}

TEST_F(DescriptorsTest, the_innermost_loop_of_a_nest_is_the_hot_one) {
  const Descriptors d = describe(kernel_head +
                                     "{ for (std::size_t i = 0; i < n; ++i) { float s = in[i] / "
                                     "3.0f; for (std::size_t j = 0; j < n; ++j)"
                                     " s += in[j] * in[i]; out[i] = s; } }",
                                 {"-O2", "-fno-tree-vectorize", "-ffp-contract=off"});
  EXPECT_EQ(d.measures.at("ops_per_iteration"), 2);
  for (const std::string& line : d.hot_loop) EXPECT_THAT(line, testing::Not(HasSubstr("divss")));
}

TEST_F(DescriptorsTest, a_loop_that_calls_the_exponential_is_hotter_than_one_that_scales) {
  const Descriptors d =
      describe("#include <cmath>\n" + kernel_head +
                   "{ for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(in[i]);"
                   " for (std::size_t i = 0; i < n; ++i) out[i] = out[i] * 0.5f; }",
               {"-O3"});
  EXPECT_THAT(d.hot_loop, testing::Contains(HasSubstr("call expf")));
}

TEST_F(DescriptorsTest, an_outlined_parallel_region_is_reached) {
  const Descriptors d = describe(kernel_head +
                                     "{\n#pragma omp parallel for\n for (long i = 0; i < (long)n; "
                                     "++i) out[i] = in[i] * in[i] + 1.0f; }\n",
                                 {"-O3", "-mavx2", "-mno-fma", "-fopenmp"});
  EXPECT_EQ(d.measures.at("vector_width"), 256);
  EXPECT_GE(d.measures.at("ops_per_iteration"), 16);
}

TEST_F(DescriptorsTest, a_library_without_a_kernel_is_an_error) {
  Tools options;
  options.tools_dir = KE_BINARY_DIR;
  options.level = compiler_->options().level;
  EXPECT_FALSE(describe_binary(options, "no library at all"));
}

TEST_F(DescriptorsTest, threads_are_seen_where_they_are_started) {
  const std::string loop = "for (long i = 0; i < (long)n; ++i) out[i] = in[i] * in[i] + 1.0f;";
  EXPECT_EQ(describe(kernel_head + "{" + loop + "}", {"-O2"}).measures.at("threading"), 0);
  const Descriptors team =
      describe(kernel_head + "{\n#pragma omp parallel for\n" + loop + "}", {"-O2", "-fopenmp"});
  EXPECT_EQ(team.measures.at("threading"), 1);
  const Descriptors own = describe("#include <thread>\n" + kernel_head +
                                       "{ std::thread half([=] { " + loop + " }); half.join(); }",
                                   {"-O2"});
  EXPECT_EQ(own.measures.at("threading"), 2);
}

TEST_F(DescriptorsTest, a_function_that_loops_call_is_as_deep_as_they_are) {
  const std::string tile =
      "__attribute__((noinline)) static float tile(const float* p) { float s = 0;\n"
      "#pragma GCC unroll 16\nfor (int i = 0; i < 16; ++i) s += p[i] * p[i]; return s; }\n";
  const Descriptors d = describe(tile + kernel_head +
                                     "{ for (std::size_t i = 0; i < n; ++i) for (std::size_t j = "
                                     "0; j < n; ++j) out[i] += tile(in + i * n + j); }",
                                 {"-O2"});
  EXPECT_EQ(d.measures.at("loop_depth"), 2);
  EXPECT_EQ(d.measures.at("ops_per_iteration"), 32);
}

// No compiler is needed to know tile registers, and few know them.
TEST_F(DescriptorsTest, matrix_instructions_are_an_engine) {
  BuildRequest request;
  request.source = kernel_head + axpb_kernel;
  const auto output = compiler_->build(request);
  ASSERT_TRUE(output && output->ok());
  const auto d = describe_disassembly(
      "0000000000001100 <kernel>:\n"
      "    1100:\ttileloadd tmm1,[rsi+rcx*1]\n"
      "    1105:\ttdpbf16ps tmm0,tmm1,tmm2\n"
      "    110a:\tsub    rdx,0x1\n"
      "    110e:\tjne    1100 <kernel>\n"
      "    1110:\tret\n",
      output->shared_object);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->measures.at("engine"), 3);
  EXPECT_EQ(d->measures.at("loop_depth"), 1);
}

TEST(DescriptorAxes, each_has_a_doc_a_unit_and_rising_edges_or_kinds) {
  ASSERT_EQ(descriptor_axes().size(), 14u);
  for (const DescriptorAxis& axis : descriptor_axes()) {
    EXPECT_FALSE(axis.doc.empty()) << axis.name;
    EXPECT_FALSE(axis.unit.empty()) << axis.name;
    EXPECT_TRUE(std::is_sorted(axis.edges.begin(), axis.edges.end())) << axis.name;
    EXPECT_TRUE(std::ranges::is_sorted(axis.kinds, {}, &DescriptorKind::value)) << axis.name;
    EXPECT_NE(axis.edges.empty(), axis.kinds.empty()) << axis.name;
  }
}

struct Decoded {
  const char* text;
  double flops, bytes;
  int width;
  bool packed;
};

class InstructionTest : public testing::TestWithParam<Decoded> {};

TEST_P(InstructionTest, counts_work_and_traffic) {
  const Decoded& expected = GetParam();
  const auto i = parse_instruction(std::string("    1040:\t") + expected.text);
  ASSERT_TRUE(i);
  EXPECT_EQ(i->flops, expected.flops) << expected.text;
  EXPECT_EQ(i->memory_bytes, expected.bytes) << expected.text;
  EXPECT_EQ(i->width_bits, expected.width) << expected.text;
  EXPECT_EQ(i->packed, expected.packed) << expected.text;
}

// Counted by hand from the architecture manual.
INSTANTIATE_TEST_SUITE_P(
    Known, InstructionTest,
    testing::Values(Decoded{"vfmadd231ps zmm0,zmm1,ZMMWORD PTR [rax+rcx*4]", 32, 64, 512, true},
                    Decoded{"vfmadd213pd ymm0,ymm1,ymm2", 8, 0, 256, true},
                    Decoded{"addss  xmm0,DWORD PTR [rdi]", 1, 4, 32, false},
                    Decoded{"mulsd  xmm0,xmm1", 1, 0, 64, false},
                    Decoded{"addps  xmm0,XMMWORD PTR [rip+0xff]        # 2000 <x>", 4, 16, 128,
                            true},
                    Decoded{"vmulps zmm0,zmm1,DWORD BCST [rax]{1to16}", 16, 4, 512, true},
                    Decoded{"vmovups ZMMWORD PTR [rsi],zmm3", 0, 64, 512, true},
                    Decoded{"vpaddd ymm0,ymm1,ymm2", 0, 0, 256, true},
                    Decoded{"vgatherdps ymm0,DWORD PTR [rdi+ymm1*4],ymm2", 0, 32, 256, true},
                    Decoded{"lea    rax,[rdi+rsi*4]", 0, 0, 0, false},
                    Decoded{"movss  xmm0,DWORD PTR [rdi]", 0, 4, 32, false},
                    Decoded{"mov    QWORD PTR [rsp+0x8],rax", 0, 8, 0, false},
                    Decoded{"nop    WORD PTR cs:[rax+rax*1+0x0]", 0, 0, 0, false},
                    Decoded{"prefetcht0 BYTE PTR [rax]", 0, 0, 0, false},
                    Decoded{"vdivph zmm0,zmm1,zmm2", 32, 0, 512, true}));

TEST(Elf, damaged_files_are_errors_and_never_crash) {
  std::string bytes(4096, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  EXPECT_FALSE(read_elf(bytes));
  EXPECT_FALSE(read_elf(""));
  EXPECT_FALSE(
      read_elf("\x7f"
               "ELF"));
}

}  // namespace
}  // namespace ke
