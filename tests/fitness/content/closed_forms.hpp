#pragma once
// Answers to contents of sample tasks by hand-written formulas.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ke::closed_form {

/// Hand-written softmax in long double, for finite rows.
inline std::vector<double> softmax(const std::vector<float>& x, std::size_t cols) {
  std::vector<double> y(x.size());
  for (std::size_t at = 0; at < x.size(); at += cols) {
    long double top = x[at], total = 0;
    for (std::size_t c = 0; c < cols; ++c) top = std::max<long double>(top, x[at + c]);
    for (std::size_t c = 0; c < cols; ++c) total += expl(x[at + c] - top);
    for (std::size_t c = 0; c < cols; ++c)
      y[at + c] = static_cast<double>(expl(x[at + c] - top) / total);
  }
  return y;
}

inline std::vector<double> matvec(const std::vector<float>& a, const std::vector<float>& x) {
  std::vector<double> y(a.size() / x.size());
  for (std::size_t i = 0; i < a.size(); ++i) y[i / x.size()] += double{a[i]} * x[i % x.size()];
  return y;
}

inline void expect_near(const std::vector<double>& got, const std::vector<double>& want,
                        double size) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], 1e-12 * (std::abs(want[i]) + size)) << i;
  }
}

}  // namespace ke::closed_form
