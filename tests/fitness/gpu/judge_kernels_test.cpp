// Runs the judge's device code on the host: one thread, with the few CUDA functions that it calls.
// Its writes and findings must equal those of the host's own functions.

#include "fitness/gpu/judge_kernels.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "fitness/content/compare.hpp"
#include "fitness/content/compare_rule.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke::gpu {
namespace {

constexpr const char* cuda_for_one_thread = R"(
#include <cmath>
#include <cstring>
using std::isfinite;
using std::isnan;
using std::isinf;
#define __device__ static
#define __global__
struct uint4 { unsigned x, y, z, w; };
constexpr struct { unsigned x = 0; } blockIdx, threadIdx;
constexpr struct { unsigned x = 1; } blockDim, gridDim;
template <typename To, typename From> To bits_of(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
static float __uint_as_float(unsigned v) { return bits_of<float>(v); }
static unsigned __float_as_uint(float v) { return bits_of<unsigned>(v); }
static long long __double_as_longlong(double v) { return bits_of<long long>(v); }
static double __longlong_as_double(long long v) { return bits_of<double>(v); }
static double __shfl_down_sync(unsigned, double, int) { return 0; }
template <typename T> void atomicAdd(T* to, T value) { *to += value; }
template <typename T> void atomicMin(T* to, T value) { *to = value < *to ? value : *to; }
template <typename T> void atomicMax(T* to, T value) { *to = value > *to ? value : *to; }
)";

/// Copy of the struct in the device code.
struct Shift {
  std::uint32_t dims[8] = {1, 1, 1, 1, 1, 1, 1, 1}, offsets[8] = {}, rotated = 0;
};
struct Verdict {
  std::uint64_t wrong = 0, first = ~std::uint64_t{0}, worst = 0, beyond = 0;
  double squares = 0;
};
struct DeviceRule {
  double inverse, relative, rounding, scale, floor, overflow, unit, max_error;
  int skips, kind;
};
constexpr int gap = 9;

class JudgeKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string base = sample::folder() + "/judge";
    std::ofstream(base + ".cpp") << cuda_for_one_thread << judge_kernels;
    const std::string command =
        "g++ -std=c++17 -O1 -w -ffp-contract=off -shared -fPIC -o " + base + ".so " + base + ".cpp";
    ASSERT_EQ(std::system(command.c_str()), 0);
    library_ = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  template <typename... Arguments>
  static void call(const char* name, Arguments... arguments) {
    reinterpret_cast<void (*)(Arguments...)>(dlsym(library_, name))(arguments...);
  }
  static Shift shift_of(const TensorShape& shape, const FreshContent& content) {
    Shift shift;
    const std::size_t rank = shape.dims.size();
    for (std::size_t d = 0; d < rank; ++d) {
      shift.dims[8 - rank + d] = static_cast<std::uint32_t>(shape.dims[d]);
      if (shape.rotated_by[d] < 0) continue;
      const auto offset = content.rotation[static_cast<std::size_t>(shape.rotated_by[d])];
      shift.offsets[8 - rank + d] = static_cast<std::uint32_t>(offset);
      shift.rotated |= offset != 0;
    }
    return shift;
  }
  static Verdict judged(const FreshContent& content, const std::byte* got, std::size_t output = 0) {
    const CompareRule of = compare_rule(content, output);
    const std::size_t tensor = content.shapes().inputs + output;
    const int kind = static_cast<int>(content.task().tensors[tensor].dtype);
    const DeviceRule rule{of.inverse,
                          of.relative,
                          of.rounding,
                          of.scale,
                          of.floor,
                          of.overflow,
                          content.entry->facts[output].unit,
                          of.max_error,
                          of.skips_nonfinite ? 1 : 0,
                          kind};
    const OutputFacts& facts = content.entry->facts[output];
    const void* const want = is_int(content.task().tensors[tensor].dtype)
                                 ? static_cast<const void*>(content.entry->integers[output].data())
                                 : content.entry->expected[output].data();
    Verdict verdict;
    call("ke_compare", got, want, facts.row_rms.data(), facts.clean.data(),
         shift_of(content.shapes().tensors[tensor], content),
         static_cast<std::uint32_t>(content.shapes().tensors[tensor].elements),
         static_cast<std::uint32_t>(facts.row), rule, &verdict);
    return verdict;
  }
  static void* library_;
};
void* JudgeKernels::library_ = nullptr;

class JudgeKernelsOf : public JudgeKernels, public testing::WithParamInterface<Dtype> {
 protected:
  sample::Pool p_{
      sample::half_matvec_text(std::string(to_string(GetParam())), "normal, tiny, large, positive"),
      {{"rows", 7}, {"cols", 5}},
      {.entries = 4, .cases = {}}};
};

INSTANTIATE_TEST_SUITE_P(dtypes, JudgeKernelsOf,
                         testing::Values(Dtype::float32, Dtype::float16, Dtype::bfloat16,
                                         Dtype::float64),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(JudgeKernelsOf, place_writes_the_bytes_that_the_host_writes_and_intact_knows_them) {
  for (int i = 0; i < 50; ++i) {
    const FreshContent content = p_.pool.fresh();
    const auto wanted = sample::inputs_of(content);
    for (std::size_t t = 0; t < wanted.size(); ++t) {
      std::vector<std::byte> got(wanted[t].size());
      const TensorShape& shape = content.shapes().tensors[t];
      const std::byte* source = content.entry->inputs[t].data();
      const auto count = static_cast<std::uint32_t>(shape.elements);
      const int kind = static_cast<int>(GetParam());
      call("ke_place", got.data(), source, shift_of(shape, content), count,
           content.input_factors[t], kind);
      ASSERT_EQ(got, wanted[t]) << t;
      std::uint64_t changed = 0;
      got.back() ^= std::byte{1};
      call("ke_intact", got.data(), source, shift_of(shape, content), count,
           content.input_factors[t], kind, &changed);
      EXPECT_EQ(changed, 1u);
    }
  }
}

TEST_P(JudgeKernelsOf, compare_finds_what_the_host_finds) {
  for (int i = 0; i < 50; ++i) {
    const FreshContent content = p_.pool.fresh();
    sample::Outputs outputs(content);
    Verdict verdict = judged(content, outputs.bytes[0].data());
    EXPECT_EQ(verdict.wrong, 0u);
    EXPECT_LE(verdict.squares, compare_rule(content, 0).allowed_squares);
    // One element 1.5 times too large, and NaN in another.
    const std::size_t size = bytes_of(GetParam());
    auto values = widened_all(GetParam(), outputs.bytes[0]);
    values[2] *= 1.5f;
    values[5] = std::numeric_limits<double>::quiet_NaN();
    narrow_all(GetParam(), std::span<const double>(values), outputs.bytes[0].data());
    ASSERT_EQ(outputs.bytes[0].size(), 7 * size);
    verdict = judged(content, outputs.bytes[0].data());
    const auto mismatch = compare(content, outputs.pointers());
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(static_cast<std::int64_t>(verdict.wrong), mismatch->count);
    EXPECT_EQ(static_cast<std::int64_t>(verdict.first), mismatch->first[0].index);
  }
}

TEST_F(JudgeKernels, count_elements_that_miss_and_those_beyond_the_largest_error) {
  std::string text = sample::matvec_text();
  const std::string usual = "relative: 1.0e-4, relative_l2: 1.0e-5, scale: 1.0e-4";
  text.replace(text.find(usual), usual.size(),
               "relative: 0.0, absolute: 0.5, matched_ratio: 0.9, max_error: 8.0");
  sample::Pool p(text, {{"rows", 100}, {"cols", 3}}, {.entries = 1, .cases = {0}});
  const FreshContent content = untransformed(p.pool.entries().front());
  sample::Outputs outputs(content);
  for (const std::size_t i : {7u, 50u, 99u}) outputs.floats()[i] += 1;
  outputs.floats()[20] += 7.5f;
  Verdict verdict = judged(content, outputs.bytes[0].data());
  EXPECT_EQ(verdict.wrong, 4u);
  EXPECT_EQ(verdict.beyond, 0u);
  EXPECT_FALSE(compare(content, outputs.pointers()));
  outputs.floats()[20] += 1;
  outputs.floats()[21] = std::numeric_limits<float>::quiet_NaN();
  verdict = judged(content, outputs.bytes[0].data());
  EXPECT_EQ(verdict.wrong, 5u);
  EXPECT_EQ(verdict.beyond, 2u);
  const auto mismatch = compare(content, outputs.pointers());
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->count, 5);
  EXPECT_EQ(mismatch->beyond, 2);
}

TEST_P(JudgeKernelsOf, noise_in_outputs_is_moderate) {
  std::vector<std::byte> bytes(bytes_of(GetParam()) * 5001);
  call("ke_noise", bytes.data(), std::uint64_t{5001}, std::uint64_t{17},
       static_cast<int>(GetParam()));
  int negative = 0;
  for (const double value : widened_all(GetParam(), bytes)) {
    ASSERT_GE(std::abs(value), 0x1p-4);
    ASSERT_LT(std::abs(value), 0x1p4);
    negative += value < 0;
  }
  EXPECT_NEAR(negative, 2500, 200);
}

// Values of one call lie in a small range of exponents, and those of many calls anywhere.
TEST_P(JudgeKernelsOf, fills_are_zeros_nan_or_floats_of_any_size) {
  const auto filled = [](int fill, std::uint64_t seed) {
    std::vector<std::byte> bytes(bytes_of(GetParam()) * 501);
    call("ke_fill", bytes.data(), std::uint64_t{501}, seed, static_cast<int>(GetParam()), fill);
    return widened_all(GetParam(), bytes);
  };
  for (const double value : filled(1, 3)) EXPECT_EQ(value, 0);
  for (const double value : filled(2, 3)) EXPECT_TRUE(std::isnan(value));
  EXPECT_NE(filled(3, 3), filled(3, 4));
  double least = 1, most = 1;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const double value : filled(0, seed)) {
      if (!std::isfinite(value) || std::abs(value) < format_of(GetParam()).least_normal) continue;
      low = std::min(low, std::abs(value));
      high = std::max(high, std::abs(value));
    }
    if (high > 0) {
      EXPECT_LE(high / low, 256) << seed;
      least = std::min(least, low);
    }
    most = std::max(most, high);
  }
  EXPECT_LT(least, 0x1p-10);
  EXPECT_GT(most, 0x1p10);
}

TEST_P(JudgeKernelsOf, write_the_answer_of_a_content_as_a_right_kernel_would) {
  for (int i = 0; i < 20; ++i) {
    const FreshContent content = p_.pool.fresh();
    const std::size_t t = content.shapes().inputs;
    const TensorShape& shape = content.shapes().tensors[t];
    const sample::Outputs wanted(content);
    std::vector<std::byte> got(wanted.bytes[0].size());
    call("ke_answer", got.data(), content.entry->expected[0].data(), shift_of(shape, content),
         static_cast<std::uint32_t>(shape.elements), content.output_factors[0],
         static_cast<int>(GetParam()));
    EXPECT_EQ(got, wanted.bytes[0]);
  }
}

TEST_F(JudgeKernels, rotate_tensors_of_six_dimensions) {
  const std::uint32_t dims[6] = {2, 3, 2, 4, 3, 2}, offsets[6] = {1, 0, 1, 3, 2, 1};
  Shift shift;
  std::copy_n(dims, 6, shift.dims + 2);
  std::copy_n(offsets, 6, shift.offsets + 2);
  shift.rotated = 1;
  std::vector<std::uint32_t> all(288), got(288), wanted(288);
  for (std::uint32_t i = 0; i < 288; ++i) {
    all[i] = i;
    std::uint32_t rest = i, stride = 1;
    for (int d = 5; d >= 0; --d) {
      wanted[i] += (rest % dims[d] + offsets[d]) % dims[d] * stride;
      rest /= dims[d];
      stride *= dims[d];
    }
  }
  call("ke_place", got.data(), static_cast<const std::uint32_t*>(all.data()), shift,
       std::uint32_t{288}, 1.0f, static_cast<int>(Dtype::float32));
  EXPECT_EQ(got, wanted);
}

TEST_F(JudgeKernels, scale_every_half_as_the_host_does) {
  std::vector<std::uint16_t> all(0x10000), got(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    for (const float factor : {-1.0f, 8.0f, -0.125f}) {
      call("ke_place", got.data(), static_cast<const std::uint16_t*>(all.data()), Shift{},
           std::uint32_t{0x10000}, factor, static_cast<int>(dtype));
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(got[i], scaled(dtype, all[i], factor)) << i << " times " << factor;
      }
    }
  }
}

TEST_F(JudgeKernels, know_integers_and_bool_of_every_width) {
  sample::Pool p(sample::mixed_text(), {{"n", 101}}, {.entries = 4});
  for (int i = 0; i < 8; ++i) {
    const FreshContent content = p.pool.fresh();
    const auto inputs = sample::inputs_of(content);
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      std::vector<std::byte> got(inputs[t].size());
      const TensorShape& shape = content.shapes().tensors[t];
      call("ke_place", got.data(), static_cast<const std::byte*>(content.entry->inputs[t].data()),
           shift_of(shape, content), static_cast<std::uint32_t>(shape.elements),
           content.input_factors[t], static_cast<int>(p.task.tensors[t].dtype));
      ASSERT_EQ(got, inputs[t]) << t;
    }
    const sample::Outputs right(content);
    for (std::size_t o = 0; o < right.bytes.size(); ++o) {
      std::vector<std::byte> got = right.bytes[o];
      EXPECT_EQ(judged(content, got.data(), o).wrong, 0u) << o;
      got.back() ^= std::byte{0x40};
      EXPECT_EQ(judged(content, got.data(), o).wrong, 1u) << o;
      got = right.bytes[o];
      got.front() ^= std::byte{1};
      const bool exact = is_int(p.task.tensors[inputs.size() + o].dtype);
      EXPECT_EQ(judged(content, got.data(), o).wrong, exact ? 1u : 0u) << o;
    }
  }
}

TEST_F(JudgeKernels, a_gap_that_begins_at_an_odd_half_is_watched_to_its_last_one) {
  std::vector<std::uint16_t> memory(64, 0x7777);
  std::uint16_t* begin = memory.data() + 5;
  call("ke_noise", static_cast<void*>(begin), std::uint64_t{33}, std::uint64_t{9}, gap);
  EXPECT_EQ(memory[4], 0x7777);
  EXPECT_EQ(memory[5 + 33], 0x7777);
  std::uint64_t broken = 0;
  const void* from = begin;
  call("ke_check_gap", from, std::uint64_t{33}, std::uint64_t{9}, &broken);
  EXPECT_EQ(broken, 0u);
  for (const int at : {0, 1, 32}) begin[at] ^= 0x100;
  call("ke_check_gap", from, std::uint64_t{33}, std::uint64_t{9}, &broken);
  EXPECT_EQ(broken, 3u);
}

}  // namespace
}  // namespace ke::gpu
