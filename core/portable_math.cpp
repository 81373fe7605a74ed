#include "core/portable_math.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ke {
namespace {

// ln 2 and pi/2 in two parts: the high part has trailing zeros, so n * high is exact.
constexpr double ln2_high = 0x1.62e42fee00000p-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double half_pi_high = 0x1.921fb54400000p+0;
constexpr double half_pi_low = 0x1.0b4611a626331p-34;

/// 2^n for n in the normal range.
double power_of_two(std::int64_t n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// Taylor series of sin or cos on [-pi/4, pi/4].
double sine_series(double x) {
  const double x2 = x * x;
  double term = x;
  double sum = 0;
  for (int k = 1; k < 20; k += 2) {
    sum += term;
    term = -term * x2 / ((k + 1) * (k + 2));
  }
  return sum;
}

double cosine_series(double x) {
  const double x2 = x * x;
  double term = 1;
  double sum = 0;
  for (int k = 0; k < 20; k += 2) {
    sum += term;
    term = -term * x2 / ((k + 1) * (k + 2));
  }
  return sum;
}

struct Reduced {
  int quadrant;
  double rest;
};

Reduced reduce(double x) {
  const double n = std::floor(x / (half_pi_high + half_pi_low) + 0.5);
  const double rest = (x - n * half_pi_high) - n * half_pi_low;
  return {static_cast<int>(static_cast<std::int64_t>(n) & 3), rest};
}

}  // namespace

double portable_log(double x) {
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x == std::numeric_limits<double>::infinity()) return x;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172: each term adds 5 bits.
  const double f = mantissa - 1;
  const double s = f / (2 + f);
  const double s2 = s * s;
  double series = 0;
  for (int k = 21; k >= 3; k -= 2) series = (series + 1.0 / k) * s2;
  const double half_square = 0.5 * f * f;
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + 2 series)): keeps f exact [Tang1990 style splitting].
  const double tail = s * (half_square + 2 * series);
  const double n = exponent;
  return n * ln2_high - ((half_square - (tail + n * ln2_low)) - f);
}

double portable_exp(double x) {
  if (x != x) return x;
  if (x > 709.78) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  const double n = std::floor(x / (ln2_high + ln2_low) + 0.5);
  const double high = x - n * ln2_high;
  const double low = n * ln2_low;
  const double r = high - low;
  double series = 1;
  for (int k = 17; k >= 2; --k) series = 1 + series * r / k;
  const double value = 1 + series * r;
  const auto whole = static_cast<std::int64_t>(n);
  if (whole < -1000) return value * power_of_two(whole + 200) * power_of_two(-200);
  if (whole > 1000) return value * power_of_two(whole - 200) * power_of_two(200);
  return value * power_of_two(whole);
}

double portable_pow(double x, double y) { return portable_exp(y * portable_log(x)); }

double portable_sin(double x) {
  const Reduced r = reduce(x);
  const double value = (r.quadrant & 1) ? cosine_series(r.rest) : sine_series(r.rest);
  return (r.quadrant & 2) ? -value : value;
}

double portable_cos(double x) {
  const Reduced r = reduce(x);
  const double value = (r.quadrant & 1) ? sine_series(r.rest) : cosine_series(r.rest);
  return (r.quadrant == 1 || r.quadrant == 2) ? -value : value;
}

}  // namespace ke
