#include "core/signature.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

TaskContract scaled_rows(const std::string& language, const std::string& dtype = "float32") {
  TaskContract contract;
  contract.language = language;
  contract.tensors = {{"x", dtype, {"rows", "cols"}, 64}, {"at", "int32", {"rows"}, 64}};
  contract.tensors.push_back({"y", dtype, {"rows", "cols"}, 64, true});
  contract.axes = {"rows", "cols"};
  return contract;
}

TEST(Signature, is_written_as_each_language_writes_it) {
  EXPECT_EQ(signature_text(scaled_rows("cpp")),
            "extern \"C\" void kernel(const float* __restrict__ x, const int* __restrict__ at, "
            "float* __restrict__ y, std::size_t rows, std::size_t cols)");
  EXPECT_EQ(signature_text(scaled_rows("riscv")), signature_text(scaled_rows("cpp")));
  EXPECT_EQ(signature_text(scaled_rows("cuda", "bfloat16")),
            "extern \"C\" __global__ void NAME(const __nv_bfloat16* __restrict__ x, const int* "
            "__restrict__ at, __nv_bfloat16* __restrict__ y, size_t rows, size_t cols)");
  EXPECT_EQ(signature_text(scaled_rows("opencl")),
            "__kernel void NAME(__global const float* restrict x, __global const int* restrict at, "
            "__global float* restrict y, ulong rows, ulong cols)");
  EXPECT_EQ(signature_text(scaled_rows("triton")),
            "@triton.jit\ndef NAME(x, at, y, rows, cols, KNOB: tl.constexpr, ...):");
  EXPECT_EQ(signature_text(scaled_rows("cute")),
            "@cute.jit\ndef NAME(x: cute.Pointer, at: cute.Pointer, y: cute.Pointer, rows: "
            "cutlass.Int64, cols: cutlass.Int64, KNOB: cutlass.Constexpr, ...):");
}

TEST(Signature, types_of_elements_are_those_of_the_language) {
  EXPECT_EQ(c_type("cuda", "float16"), "__half");
  EXPECT_EQ(c_type("hip", "bfloat16"), "__hip_bfloat16");
  EXPECT_EQ(c_type("opencl", "int32"), "int");
  EXPECT_EQ(c_type("cpp", "float16"), "") << "its ABI has no half types";
  EXPECT_EQ(c_type("cpp", "int64"), "std::int64_t");
  EXPECT_EQ(c_type("riscv", "bool"), "bool");
  EXPECT_EQ(c_type("opencl", "bool"), "uchar");
  EXPECT_EQ(c_type("opencl", "int64"), "long");
  EXPECT_EQ(c_type("flydsl", "int8"), "") << "its adapter has no such type";
  EXPECT_EQ(c_type("cuda", "float8"), "");
  EXPECT_EQ(c_type("unheard_of", "float32"), "float");
}

}  // namespace
}  // namespace ke
