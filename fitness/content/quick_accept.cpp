#include "fitness/content/quick_accept.hpp"

#include <cmath>
#include <cstring>

namespace ke {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef std::int32_t FloatMask __attribute__((vector_size(64)));
constexpr std::int64_t lane_count = 16;

// Compiled once per instruction set; all versions do the same arithmetic.
[[gnu::always_inline]] inline bool accept(const float* got, const float* want, std::int64_t count,
                                          const QuickLimit& limit, double& squares) {
  FloatMask right = ~FloatMask{};
  FloatMask magnitude = FloatMask{} + INT32_MAX;
  Floats sums{};
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    Floats value, expected;
    std::memcpy(&value, got + i, sizeof value);
    std::memcpy(&expected, want + i, sizeof expected);
    const Floats error = value * limit.inverse - expected;
    const Floats most = (Floats)((FloatMask)expected & magnitude) * limit.relative + limit.allowed;
    right &= (FloatMask)((Floats)((FloatMask)error & magnitude) <= most);
    sums += error * error;
  }
  bool all = true;
  double sum = 0;
  for (std::int64_t lane = 0; lane < lane_count; ++lane) {
    all = all && right[lane] != 0;
    sum += static_cast<double>(sums[lane]);
  }
  for (; i < count; ++i) {
    const float error = got[i] * limit.inverse - want[i];
    all = all && std::abs(error) <= std::abs(want[i]) * limit.relative + limit.allowed;
    sum += static_cast<double>(error) * static_cast<double>(error);
  }
  // A float sum of up to millions of squares is too small by a few per cent at most.
  squares += 1.1 * sum;
  return all;
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq")]] bool accept_512(const float* got, const float* want,
                                                    std::int64_t count, const QuickLimit& limit,
                                                    double& squares) {
  return accept(got, want, count, limit, squares);
}
[[gnu::target("avx2")]] bool accept_256(const float* got, const float* want, std::int64_t count,
                                        const QuickLimit& limit, double& squares) {
  return accept(got, want, count, limit, squares);
}
#endif

}  // namespace

QuickLimit quick_limit(double inverse, double relative, double allowed, double rms) {
  // Relative rounding errors of the expected value, the product and the difference.
  constexpr double rounding_error = 4 * 0x1p-24;
  QuickLimit limit;
  limit.inverse = static_cast<float>(inverse);
  limit.relative = static_cast<float>((relative - rounding_error) * (1 - 1e-6));
  limit.allowed = static_cast<float>(allowed * (1 - 1e-6));
  const double scale = std::abs(inverse);
  limit.usable =
      relative > 2 * rounding_error && rms > 1e-8 && rms < 1e8 && scale > 1e-12 && scale < 1e12;
  return limit;
}

bool quick_accept(const float* got, const float* want, std::int64_t count, const QuickLimit& limit,
                  double& squares) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  static const bool middle = __builtin_cpu_supports("avx2");
  if (wide) return accept_512(got, want, count, limit, squares);
  if (middle) return accept_256(got, want, count, limit, squares);
#endif
  return accept(got, want, count, limit, squares);
}

}  // namespace ke
