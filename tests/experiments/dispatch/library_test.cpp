// Common code of exported dispatchers: nearest shape, processor, choice of variant.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "experiments/dispatch/library/launched/plan.hpp"
#include "experiments/dispatch/library/processor/library.hpp"
#include "fitness/host/host.hpp"

namespace ke {
namespace {

TEST(NearestShape, compares_lengths_as_powers_of_two) {
  const std::size_t shapes[] = {1000, 10, 100, 100};
  const auto nearest = [&](std::size_t a, std::size_t b) {
    const std::size_t asked[] = {a, b};
    return dispatch::nearest_shape(shapes, 2, asked, 2);
  };
  EXPECT_EQ(nearest(1000, 10), 0);
  EXPECT_EQ(nearest(100, 100), 1);
  EXPECT_EQ(nearest(1'000'000, 1), 0);
  // On the line of equal distance, sqrt(1000 * 100) by sqrt(10 * 100), and on both sides of it.
  EXPECT_EQ(nearest(317, 31), 0);
  EXPECT_EQ(nearest(316, 32), 1);
}

TEST(NearestShape, is_the_first_of_equals) {
  const std::size_t shapes[] = {64, 16};
  const std::size_t asked = 32;
  EXPECT_EQ(dispatch::nearest_shape(shapes, 2, &asked, 1), 0);
}

/// Macros that the compiler defines when it compiles for this processor.
std::set<std::string> macros_of_this_processor() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen("/usr/bin/g++ -march=native -dM -E -x c++ /dev/null", "r"), &pclose);
  std::set<std::string> names;
  char line[4096];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    std::istringstream words(line);
    std::string define, name;
    if (words >> define >> name) names.insert(name);
  }
  return names;
}

TEST(SupportedExtensions, are_those_that_the_compiler_finds_on_this_processor) {
  const std::set<std::string> macros = macros_of_this_processor();
  ASSERT_TRUE(macros.contains("__x86_64__"));
  const dispatch::Extensions supported = dispatch::supported_extensions();
  dispatch::Extensions bit = 1;
#define KE_SAME_AS_COMPILER(macro, name)                              \
  EXPECT_EQ((supported & bit) != 0, macros.contains(#macro)) << name; \
  bit <<= 1;
  DISPATCH_EXTENSIONS(KE_SAME_AS_COMPILER)
#undef KE_SAME_AS_COMPILER
}

TEST(ProcessorName, has_no_needless_spaces) {
  const auto words = [](const char* text) {
    char copy[49];
    dispatch::copy_words(text, copy);
    return std::string(copy);
  };
  EXPECT_EQ(words("      Intel(R) Xeon(R)  CPU @ 2.00GHz "), "Intel(R) Xeon(R) CPU @ 2.00GHz");
  EXPECT_EQ(words("AMD EPYC"), "AMD EPYC");
  EXPECT_EQ(words("   "), "");
}

TEST(ProcessorName, is_the_one_that_linux_tells) {
  // Some hypervisors show the kernel another processor than its programs: one without an
  // instruction that programs can use.
  std::istringstream words(cpuinfo("flags"));
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  if (flags.contains("abm") != macros_of_this_processor().contains("__LZCNT__")) {
    GTEST_SKIP() << "Linux tells of another processor than its programs run on";
  }
  EXPECT_EQ(dispatch::ProcessorName().text, cpuinfo("model name"));
}

constexpr dispatch::Extensions nothing = 0, avx = 1, avx512 = 3;
const std::vector<dispatch::Variant> variants = {{"wide", nullptr, nullptr, &avx512, false},
                                                 {"narrow", nullptr, nullptr, &avx, false},
                                                 {"fallback", nullptr, nullptr, nullptr, false}};
constexpr std::size_t shapes[] = {16, 1024};
constexpr unsigned char orders[] = {1, 0, 0, 1};
const std::vector<dispatch::Measured> devices = {{"First", "3", shapes, orders, 2, 2, 4},
                                                 {"Second", "1", shapes, orders, 2, 2, 4},
                                                 {"Second", "1f", shapes, orders, 2, 2, 4}};

std::string called(std::size_t length, dispatch::Extensions supported) {
  return dispatch::best_variant(variants, devices[0], &length, 1, supported).name;
}

TEST(BestVariant, is_the_first_of_the_nearest_shape_that_the_processor_can_run) {
  EXPECT_EQ(called(16, avx512), "narrow");
  EXPECT_EQ(called(2000, avx512), "wide");
  EXPECT_EQ(called(2000, avx), "narrow");
  EXPECT_EQ(called(2000, nothing), "fallback");
}

TEST(BestVariant, is_the_anchor_far_from_all_measured_shapes) {
  // "wide" comes first, so it is the anchor; "narrow" is faster at 16.
  EXPECT_EQ(called(64, avx512), "narrow");
  EXPECT_EQ(called(65, avx512), "wide");
  EXPECT_EQ(called(65, avx), "narrow");  // the anchor cannot run
  EXPECT_EQ(called(65, nothing), "fallback");
}

TEST(BestVariant, is_the_anchor_where_an_axis_is_shorter_than_in_all_measured_shapes) {
  EXPECT_EQ(called(16, avx512), "narrow");
  EXPECT_EQ(called(15, avx512), "wide");
  EXPECT_EQ(called(0, avx512), "wide");  // as a length of 1
}

TEST(BestVariant, is_the_anchor_where_a_single_axis_is_far) {
  // Measured shapes of layernorm; "narrow" beats the anchor at all of them.
  static constexpr std::size_t measured[] = {512, 1024, 1024, 768, 247, 194, 147, 3160};
  static constexpr unsigned char narrow_first[] = {1, 0, 1, 0, 1, 0, 1, 0};
  const dispatch::Measured device = {"First", "3", measured, narrow_first, 4, 2, 4};
  const auto called_at = [&](std::size_t rows, std::size_t cols) {
    const std::size_t asked[] = {rows, cols};
    return std::string(dispatch::best_variant(variants, device, asked, 2, avx512).name);
  };
  EXPECT_EQ(called_at(9973, 33), "wide");
  EXPECT_EQ(called_at(500, 1000), "narrow");
  EXPECT_EQ(called_at(2048, 3000), "narrow");
  EXPECT_EQ(called_at(247, 194), "narrow");
  EXPECT_EQ(called_at(146, 1000), "wide");
  EXPECT_EQ(called_at(1000, 193), "wide");
  EXPECT_EQ(called_at(1000, 4097), "wide");  // the nearest is 512, 1024
  EXPECT_EQ(called_at(3, 1024), "wide");
}

TEST(WithinReach, counts_each_axis_both_ways_and_the_bound_itself) {
  const auto within = [](std::size_t a, std::size_t b) {
    return dispatch::is_within(4, &a, &b, 1);
  };
  EXPECT_TRUE(within(8, 8) && within(8, 32) && within(32, 8));
  EXPECT_FALSE(within(8, 33) || within(33, 8));
  const std::size_t largest = std::size_t{1} << 40;
  EXPECT_FALSE(within(1, largest) || within(largest, 1));
  EXPECT_TRUE(within(largest, largest / 4));
}

TEST(ThisDevice, is_the_one_with_this_name_and_these_extensions_else_the_first) {
  EXPECT_EQ(&dispatch::this_device(devices, "Second", 0x1f), &devices[2]);
  EXPECT_EQ(&dispatch::this_device(devices, "Second", 1), &devices[1]);
  EXPECT_EQ(&dispatch::this_device(devices, "Second", 7), &devices[0]);
  EXPECT_EQ(&dispatch::this_device(devices, "Third", 3), &devices[0]);
}

TEST(AlignedCopies, stand_in_for_tensors_elsewhere_alone) {
  alignas(64) char memory[256] = "0123456789";
  char* const aside = memory + 130;
  std::memcpy(aside, "abcdefghij", 10);
  const dispatch::Names of({"n"}, {});
  const std::vector<dispatch::TensorSpec> tensors = {
      {64, false, false, of("n")}, {64, false, false, of("n")}, {32, true, false, of("n - 6")}};
  void* const given[] = {memory, aside, aside};
  EXPECT_FALSE(dispatch::are_aligned(tensors, given));
  const std::size_t n = 10;
  const dispatch::AlignedCopies copies(tensors, given, &n);
  const auto at = [&](std::size_t i) { return static_cast<char*>(copies.places()[i]); };
  const auto address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(at(i)); };
  EXPECT_EQ(at(0), memory);
  EXPECT_NE(at(1), aside);
  EXPECT_EQ(address(1) % 64, 0);
  EXPECT_EQ(address(2) % 32, 0);
  EXPECT_EQ(std::string(at(1), 10), "abcdefghij");
  std::memcpy(at(1), "----------", 10);
  std::memcpy(at(2), "ABCD", 4);
  copies.give_back();
  EXPECT_EQ(std::string(aside, 10), "ABCDefghij");  // an input is not written back
  void* const good[] = {memory, memory + 64, memory + 128};
  EXPECT_TRUE(dispatch::are_aligned(tensors, good));
}

TEST(Turn, is_taken_by_one_thread_at_a_time) {
  int inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const dispatch::Turn turn(true);
        most = std::max(most, ++inside);
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  const dispatch::Turn held(true), free(false);  // a call that needs none does not wait
}

TEST(TensorBytes, are_those_of_the_axes_and_beyond_all_memory_where_the_formula_has_no_value) {
  const dispatch::Names of({"rows", "cols"}, {{"heads", 12}});
  const auto bytes = [&](const char* formula, std::size_t rows, std::size_t cols) {
    const std::size_t lengths[] = {rows, cols};
    return dispatch::bytes_of({64, false, false, of(formula)}, lengths);
  };
  EXPECT_EQ(bytes("4 * rows * (cols + heads)", 3, 5), 204);
  EXPECT_EQ(bytes("rows", std::size_t{1} << 40, 1), std::size_t{1} << 40);
  EXPECT_EQ(bytes("8 / (rows - 1)", 1, 1), PTRDIFF_MAX);
  EXPECT_EQ(bytes("rows - cols", 1, 9), 0);
  EXPECT_EQ(bytes("rows * depth", 1, 1), PTRDIFF_MAX);  // an unknown name
}

/// Calls of kernels and preparations below.
std::vector<std::string> calls;

template <int number>
void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  calls.push_back(std::to_string(number) + ": " + std::to_string(rows) + " by " +
                  std::to_string(cols));
  for (std::size_t i = 0; i < rows * cols; ++i) y[i] = x[i] + number;
}
void preparation(const float* x, std::size_t rows, std::size_t cols) {
  calls.push_back("prepares " + std::to_string(static_cast<int>(x[rows * cols - 1])));
}

TEST(ProcessorLibrary, calls_the_kernel_of_the_nearest_shape_with_arguments_from_arrays) {
  calls.clear();
  static constexpr std::size_t measured[] = {2, 2, 16, 2};
  static constexpr unsigned char order[] = {1, 0, 0, 1};
  const dispatch::Names of({"rows", "cols"}, {});
  const std::vector<dispatch::Variant> two = {
      {"tall", &dispatch::with_arrays<kernel<1>>, &dispatch::with_arrays<preparation>, nullptr,
       false},
      {"small", &dispatch::with_arrays<kernel<2>>, nullptr, nullptr, true}};
  const dispatch::ProcessorLibrary<2> library(
      {{4, false, true, of("4 * rows * cols")}, {64, true, false, of("4 * rows * cols")}}, two,
      {{"any", "0", measured, order, 2, 2, 4}});
  alignas(64) float memory[256] = {};
  const auto call = [&](std::size_t rows, std::size_t cols, std::size_t moved) {
    for (float& one : memory) one = 7;
    const std::size_t lengths[] = {rows, cols};
    const void* const tensors[] = {memory + 1, memory + 128 + moved};
    library.prepare(lengths, tensors);
    library.call(lengths, tensors);
    const float* const y = memory + 128 + moved;
    EXPECT_EQ(y[-1], 7);
    EXPECT_EQ(y[rows * cols], 7);
    EXPECT_EQ(y[rows * cols - 1], y[0]);
    return std::string(library.name(lengths)) + " " + std::to_string(static_cast<int>(y[0]));
  };
  EXPECT_EQ(call(2, 2, 0), "small 9");
  EXPECT_EQ(call(2, 2, 3), "small 9");  // y is a copy there
  EXPECT_EQ(call(20, 2, 0), "tall 8");
  EXPECT_EQ(call(20, 2, 1), "tall 8");
  EXPECT_EQ(call(3, 2, 0), "small 9");
  EXPECT_THAT(calls, testing::ElementsAre("2: 2 by 2", "2: 2 by 2", "prepares 7", "1: 20 by 2",
                                          "prepares 7", "1: 20 by 2", "2: 3 by 2"));
}

/// The numbers of a plan, where each launch fits `blocks` times.
class Numbers final : dispatch::PlanCall {
 public:
  Numbers(const dispatch::LaunchPlan& plan, const std::vector<std::size_t>& lengths, int blocks)
      : PlanCall(plan, terms, lengths, nullptr), blocks_(blocks) {}

  std::string of(const dispatch::Formula& formula) {
    const std::int64_t found = number(formula);
    return fits() ? std::to_string(found) : "none";
  }

 private:
  static constexpr dispatch::GpuTerms terms = {132, 50 << 20, 227 << 10};
  std::int64_t occupancy(const dispatch::Launch& launch) override {
    if (!launch.block.empty()) number(launch.block[0]);
    return blocks_ * static_cast<std::int64_t>(launch.kernel);
  }
  std::int64_t blocks_;
};

TEST(PlanNumbers, are_of_axes_knobs_the_device_and_occupancies_in_this_order) {
  const dispatch::Names of({"rows", "TILE"}, {{"WIDE", 3}}, {"", "first", "second"});
  const auto launch = [&](std::size_t kernel) {
    return dispatch::Launch{of("1"), kernel, {}, {}, {}, of("0"), of("-1"), false, false, {}};
  };
  const dispatch::LaunchPlan plan = {
      {},
      {},
      {dispatch::Memset{of("1"), dispatch::tensor(0), of("0"), of("1")}, launch(2), launch(5)}};
  const std::vector<std::size_t> lengths = {1000, 64};
  const auto value = [&](const char* text) { return Numbers(plan, lengths, 7).of(of(text)); };
  EXPECT_EQ(value("rows * WIDE + TILE"), "3064");
  EXPECT_EQ(value("min(sm_count * occupancy(second), rows)"), "1000");
  EXPECT_EQ(value("occupancy( first )"), "14");
  EXPECT_EQ(value("smem_optin / 1024"), "227");
  EXPECT_EQ(value("rows > 500 && l2_bytes > rows"), "1");
  EXPECT_EQ(value("rows / (TILE - 64)"), "none");
  EXPECT_EQ(value("depth"), "none");
  EXPECT_EQ(value("occupancy(third)"), "none");
  EXPECT_EQ(value("rows +"), "none");
}

TEST(PlanNumbers, an_occupancy_that_depends_on_itself_has_none) {
  const dispatch::Names of({"rows"}, {}, {"first", "second"});
  const auto launch = [&](const char* block) {
    return dispatch::Launch{of("1"), 1, {}, of({block}), {}, of("0"), of("-1"), false, false, {}};
  };
  const dispatch::LaunchPlan itself = {{}, {}, {launch("min(32, occupancy(first))"), launch("1")}};
  EXPECT_EQ(Numbers(itself, {9}, 7).of(of("occupancy(first)")), "none");
  EXPECT_EQ(Numbers(itself, {9}, 7).of(of("occupancy(second)")), "7");
}

}  // namespace
}  // namespace ke
