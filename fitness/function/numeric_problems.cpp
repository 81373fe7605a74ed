#include "fitness/function/numeric_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

constexpr double limit = 5.12;
constexpr double optimum = 2.048;
constexpr std::size_t lanes = 4;  // partial sums, so that additions do not wait for each other

double clip(double x) { return std::abs(x) <= limit ? x : limit / x; }

double total(const std::array<double, lanes>& sums) {
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double square(double x) {
  const double z = x - optimum;
  return z * z;
}

/// cos(2 pi z) to 1e-15: reduces z to the nearest integer and uses the series for a quarter turn.
double cos_two_pi(double z) {
  constexpr double shift = 0x1.8p52;  // adding and subtracting it rounds to the nearest integer
  const double t = std::abs(z - ((z + shift) - shift));
  const bool far = t > 0.25;
  const double angle = 6.28318530717958647692 * (far ? 0.5 - t : t);
  const double y = angle * angle;
  constexpr std::array<double, 11> divisors = {2, 12, 30, 56, 90, 132, 182, 240, 306, 380, 462};
  double series = 1;
  for (std::size_t k = divisors.size(); k-- > 0;) series = 1 - y * series * (1 / divisors[k]);
  return far ? -series : series;
}

double wave(double x) {
  const double z = x - optimum;
  return z * z - 10 * cos_two_pi(z) + 10;
}

/// Sums over one half of the coordinates.
struct Half {
  double cost = 0;
  double clipped = 0;
};

double sum_of_clipped(std::span<const double> x) {
  std::array<double, lanes> sums{};
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % lanes] += clip(x[i]);
  return total(sums);
}

// Nearly all coordinates are inside the limit, where clip(x) = x; the same pass detects exceptions.
template <double (*Cost)(double)>
Half sum_half(std::span<const double> x) {
  std::array<double, lanes> cost{};
  std::array<double, lanes> sum{};
  std::array<double, lanes> most{};
  const std::size_t whole = x.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double value = x[i + lane];
      cost[lane] += Cost(value);
      sum[lane] += value;
      const double size = std::abs(value);
      most[lane] = size > most[lane] ? size : most[lane];
    }
  }
  for (std::size_t i = whole; i < x.size(); ++i) {
    cost[i % lanes] += Cost(x[i]);
    sum[i % lanes] += x[i];
    most[0] = std::max(most[0], std::abs(x[i]));
  }
  const double largest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  return {total(cost), largest <= limit ? total(sum) : sum_of_clipped(x)};
}

template <double (*Cost)(double)>
class LinearProjection final : public NumericProblem {
 public:
  explicit LinearProjection(std::size_t n) : n_(n), worst_(static_cast<double>(n) * Cost(-limit)) {
    KE_CHECK(n >= 2);
    // Both axes span the shorter half, like the reference implementation for even n.
    const double range = limit * static_cast<double>(n) / 2;
    measures_ = {{{"m0", -range, range}, {"m1", -range, range}}};
  }
  std::size_t dimensions() const override { return n_; }
  std::span<const MeasureRange> measures() const override { return measures_; }

  void evaluate(Rows solutions, std::span<double> objectives,
                std::span<double> measures) const override {
    const std::size_t half = n_ / 2;
    for (std::size_t row = 0; row < objectives.size(); ++row) {
      const std::span<const double> x = solutions[row];
      const Half first = sum_half<Cost>(x.first(half));
      const Half second = sum_half<Cost>(x.subspan(half));
      objectives[row] = (first.cost + second.cost - worst_) / (0 - worst_) * 100;
      measures[2 * row] = first.clipped;
      measures[2 * row + 1] = second.clipped;
    }
  }

 private:
  std::size_t n_;
  double worst_;
  std::array<MeasureRange, 2> measures_;
};

using std::numbers::pi;

double variance(std::span<const double> x) {
  const double n = static_cast<double>(x.size());
  double mean = 0;
  for (const double value : x) mean += value;
  mean /= n;
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / n;
}

class Arm final : public NumericProblem {
 public:
  explicit Arm(std::size_t n) : n_(n) {
    KE_CHECK(n >= 1);
    const double reach = static_cast<double>(n);
    measures_ = {{{"x", -reach, reach}, {"y", -reach, reach}}};
  }
  std::size_t dimensions() const override { return n_; }
  std::span<const MeasureRange> measures() const override { return measures_; }
  double low() const override { return -pi; }
  double high() const override { return pi; }

  void evaluate(Rows solutions, std::span<double> objectives,
                std::span<double> measures) const override {
    for (std::size_t row = 0; row < objectives.size(); ++row) {
      objectives[row] = -variance(solutions[row]);
      double angle = 0;
      double x = 0;
      double y = 0;
      for (const double joint : solutions[row]) {
        angle += joint;
        x += portable_cos(angle);
        y += portable_sin(angle);
      }
      measures[2 * row] = x;
      measures[2 * row + 1] = y;
    }
  }

 private:
  std::size_t n_;
  std::array<MeasureRange, 2> measures_;
};

}  // namespace

std::unique_ptr<NumericProblem> make_numeric_problem(const std::string& name,
                                                     std::size_t dimensions) {
  if (name == "rastrigin") return std::make_unique<LinearProjection<wave>>(dimensions);
  if (name == "arm") return std::make_unique<Arm>(dimensions);
  KE_CHECK(name == "sphere");
  return std::make_unique<LinearProjection<square>>(dimensions);
}

}  // namespace ke
