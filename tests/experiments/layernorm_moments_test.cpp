// Shipped layer normalisations on rows with one outlier, which a kernel must not treat as a typical
// value.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiments/run/evaluators/cpu.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using Function = void (*)(const float*, const float*, const float*, float*, std::size_t,
                          std::size_t);

class LayernormMoments : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto task = load_task("layernorm", ".");
    ASSERT_TRUE(task) << task.error().message;
    tolerance_ = (*task)->tolerance;
    const auto seed = make_seed(**task, "anchor", *(*task)->kernel_source("anchor"));
    ASSERT_TRUE(seed) << seed.error().message;
    Kernel kernel = seed->kernel;
    kernel.knobs["MOMENTS"] = GetParam();
    kernel.knobs["UNROLL"] = "1";  // the longest sums
    ASSERT_TRUE(seed->space->admits(kernel));
    std::string command = "g++ -O2 -shared -fPIC -I" + (*task)->include_dir;
    for (const auto& [name, value] : seed->space->macros(kernel))
      command += " -D" + name + "=" + value;
    folder_.write("kernel.cpp", kernel.source);
    command += " -o " + folder_.file("kernel.so") + " " + folder_.file("kernel.cpp");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    void* library = dlopen(folder_.file("kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    kernel_ = reinterpret_cast<Function>(dlsym(library, "kernel"));
  }

  /// Largest error of a row over the allowed error. Weights are 1 and biases 0.
  double error_of(const std::vector<float>& x) const {
    const std::size_t n = x.size();
    const std::vector<float> ones(n, 1.0F), zeros(n, 0.0F);
    std::vector<float> y(n);
    kernel_(x.data(), ones.data(), zeros.data(), y.data(), 1, n);
    long double mean = 0, variance = 0;
    for (const float v : x) mean += v;
    mean /= static_cast<long double>(n);
    for (const float v : x) variance += (v - mean) * (v - mean);
    variance /= static_cast<long double>(n);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto right = static_cast<double>((x[i] - mean) / std::sqrt(variance + 1e-5L));
      const double allowed = tolerance_.relative * std::abs(right) + tolerance_.scale;
      worst = std::max(worst, std::abs(y[i] - right) / allowed);
    }
    return worst;
  }

  test::TemporaryFolder folder_;
  Tolerance tolerance_;
  Function kernel_ = nullptr;
};

TEST_P(LayernormMoments, are_right_wherever_a_row_has_a_value_far_from_all_others) {
  for (const std::size_t n : {3, 33, 1024, 4099}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
      for (const float size : {400.0F, -30'000.0F}) {
        std::vector<float> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<float>(i * i));
        x[at] = size;
        EXPECT_LT(error_of(x), 0.25) << n << " values, the one at " << at << " is " << size;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LayernormMoments, testing::Values("two_pass", "welford", "shifted"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace ke
