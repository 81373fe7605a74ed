#pragma once
// Element types of tensors: names, sizes, limits, and the spelling in each language.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ke {

/// Append new types at the end: stored plans use these numbers.
enum class Dtype { float32, int32, float16, bfloat16, int64, int8, uint8, boolean, float64 };
constexpr Dtype last_value(Dtype) { return Dtype::float64; }

/// One row of the table. "" marks a language that does not support the type.
struct DtypeRow {
  std::string_view name;  ///< as in task files
  std::size_t bytes = 0;
  bool floating = false;
  std::int64_t least = 0, most = 0;  ///< range of integers and bool
  std::string_view cpp, cuda, hip, opencl, triton, cute, flydsl;
};

// Half types are spelled as in NVRTC and configs/backends/hip/include; C++ has no portable name.
inline constexpr std::array<DtypeRow, 9> dtype_table = {{
    {"float32", 4, true, 0, 0, "float", "float", "float", "float", "tl.float32", "cutlass.Float32",
     "float32"},
    {"int32", 4, false, INT32_MIN, INT32_MAX, "int", "int", "int", "int", "tl.int32",
     "cutlass.Int32", "int32"},
    {"float16", 2, true, 0, 0, "", "__half", "__half", "", "tl.float16", "cutlass.Float16",
     "float16"},
    {"bfloat16", 2, true, 0, 0, "", "__nv_bfloat16", "__hip_bfloat16", "", "tl.bfloat16",
     "cutlass.BFloat16", "bfloat16"},
    {"int64", 8, false, INT64_MIN, INT64_MAX, "std::int64_t", "long long", "long long", "long",
     "tl.int64", "cutlass.Int64", "int64"},
    {"int8", 1, false, INT8_MIN, INT8_MAX, "std::int8_t", "signed char", "signed char", "char",
     "tl.int8", "", ""},
    {"uint8", 1, false, 0, UINT8_MAX, "std::uint8_t", "unsigned char", "unsigned char", "uchar",
     "tl.uint8", "cutlass.Uint8", "uint8"},
    {"bool", 1, false, 0, 1, "bool", "bool", "bool", "uchar", "tl.int1", "", ""},
    {"float64", 8, true, 0, 0, "double", "double", "double", "double", "tl.float64",
     "cutlass.Float64", "float64"},
}};

constexpr const DtypeRow& row_of(Dtype dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}
constexpr std::string_view to_string(Dtype dtype) { return row_of(dtype).name; }
constexpr std::size_t bytes_of(Dtype dtype) { return row_of(dtype).bytes; }
constexpr bool is_float(Dtype dtype) { return row_of(dtype).floating; }
/// bool is an integer in [0, 2), stored in one byte.
constexpr bool is_int(Dtype dtype) { return !is_float(dtype); }
/// Two bytes: IEEE 754 binary16, or the upper half of a binary32.
constexpr bool is_half(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16; }

/// Names in task files, in the order of Dtype.
inline constexpr auto dtype_names = [] {
  std::array<std::string_view, dtype_table.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = dtype_table[i].name;
  return names;
}();

constexpr std::optional<Dtype> dtype_named(std::string_view name) {
  const auto found = std::ranges::find(dtype_names, name);
  if (found == dtype_names.end()) return std::nullopt;
  return static_cast<Dtype>(found - dtype_names.begin());
}

}  // namespace ke
