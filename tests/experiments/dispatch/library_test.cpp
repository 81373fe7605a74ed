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

#include "experiments/dispatch/library/aligned.hpp"
#include "experiments/dispatch/library/choose_variant.hpp"
#include "experiments/dispatch/library/number.hpp"
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

using Variant = dispatch::Variant<void (*)(), void (*)()>;

constexpr dispatch::Extensions nothing = 0, avx = 1, avx512 = 3;
const Variant variants[] = {{"wide", nullptr, nullptr, &avx512, false},
                            {"narrow", nullptr, nullptr, &avx, false},
                            {"fallback", nullptr, nullptr, nullptr, false}};
constexpr std::size_t shapes[] = {16, 1024};
constexpr unsigned char orders[] = {1, 0, 0, 1};
constexpr dispatch::Device devices[] = {{"First", 3, shapes, orders, 2, 2, 4},
                                        {"Second", 1, shapes, orders, 2, 2, 4},
                                        {"Second", 3, shapes, orders, 2, 2, 4}};

std::string called(std::size_t length, dispatch::Extensions supported) {
  return dispatch::best_variant(variants, 3, devices[0], &length, 1, supported).name;
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
}

TEST(BestVariant, is_the_anchor_where_a_single_axis_is_far) {
  // Measured shapes of layernorm; "narrow" beats the anchor at all of them.
  static constexpr std::size_t measured[] = {512, 1024, 1024, 768, 247, 194, 147, 3160};
  static constexpr unsigned char narrow_first[] = {1, 0, 1, 0, 1, 0, 1, 0};
  constexpr dispatch::Device device = {"First", 3, measured, narrow_first, 4, 2, 4};
  const auto called_at = [&](std::size_t rows, std::size_t cols) {
    const std::size_t asked[] = {rows, cols};
    return std::string(dispatch::best_variant(variants, 3, device, asked, 2, avx512).name);
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
  EXPECT_EQ(&dispatch::this_device(devices, 3, "Second", 3), &devices[2]);
  EXPECT_EQ(&dispatch::this_device(devices, 3, "Second", 1), &devices[1]);
  EXPECT_EQ(&dispatch::this_device(devices, 3, "Second", 7), &devices[0]);
  EXPECT_EQ(&dispatch::this_device(devices, 3, "Third", 3), &devices[0]);
}

TEST(AlignedCopies, stand_in_for_tensors_elsewhere_alone) {
  alignas(64) char memory[256] = "0123456789";
  char* const aside = memory + 130;
  std::memcpy(aside, "abcdefghij", 10);
  const dispatch::Tensor tensors[] = {{memory, 64, false}, {aside, 64, false}, {aside, 32, true}};
  EXPECT_FALSE(dispatch::are_aligned(tensors));
  const std::size_t bytes[] = {10, 10, 4};
  const dispatch::AlignedCopies copies(tensors, bytes, 3);
  EXPECT_EQ(copies.at<char>(0), memory);
  const auto address = [&](std::size_t i) {
    return reinterpret_cast<std::uintptr_t>(copies.at<char>(i));
  };
  EXPECT_NE(copies.at<char>(1), aside);
  EXPECT_EQ(address(1) % 64, 0);
  EXPECT_EQ(address(2) % 32, 0);
  EXPECT_EQ(std::string(copies.at<char>(1), 10), "abcdefghij");
  std::memcpy(copies.at<char>(1), "----------", 10);
  std::memcpy(copies.at<char>(2), "ABCD", 4);
  copies.give_back();
  EXPECT_EQ(std::string(aside, 10), "ABCDefghij");  // an input is not written back
  const dispatch::Tensor good[] = {{memory, 64, false}, {memory + 64, 64, true}};
  EXPECT_TRUE(dispatch::are_aligned(good));
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

TEST(Number, is_as_wide_as_a_plan_s_and_divides_by_zero) {
  using dispatch::Number;
  EXPECT_EQ(Number(7) / Number(0), Number(0));
  EXPECT_EQ(dispatch::ceil_div(7, 2), Number(4));
  EXPECT_EQ(dispatch::bytes(Number(std::int64_t{1} << 40)), std::size_t{1} << 40);
  EXPECT_EQ(dispatch::bytes(-8), 0);
}

TEST(RememberedVariant, is_chosen_again_for_another_shape_alone) {
  std::vector<std::size_t> asked;
  const auto choose = [&](const std::size_t* lengths) -> const Variant& {
    asked.push_back(lengths[0]);
    return variants[lengths[0] % 3];
  };
  const auto call = [&](std::size_t length) {
    return std::string(dispatch::remembered<1, Variant>({length}, choose).name);
  };
  EXPECT_EQ(call(3), "wide");
  EXPECT_EQ(call(3), "wide");
  EXPECT_EQ(call(4), "narrow");
  EXPECT_EQ(call(3), "wide");
  EXPECT_EQ(call(0), "narrow");  // a shape without elements is treated as if it had one
  EXPECT_THAT(asked, testing::ElementsAre(3, 4, 3, 1));
}

}  // namespace
}  // namespace ke
