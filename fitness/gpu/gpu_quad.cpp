#include "fitness/gpu/gpu_quad.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace ke::gpu {
namespace {

constexpr int quad_tries = 3;
constexpr double calm = 0.1;
constexpr std::chrono::milliseconds cooling{50};

}  // namespace

double unrest_of(const GpuQuad& quad) {
  const auto apart = [&](std::size_t i, std::size_t j) {
    const auto a = static_cast<double>(quad.event_ns[i]), b = static_cast<double>(quad.event_ns[j]);
    return std::abs(a - b) / std::max(1.0, std::min(a, b));
  };
  return std::max(apart(0, 3), apart(1, 2));
}

Result<bool> take_calm_quad(const TakeQuad& take, GpuQuad& best) {
  const auto rank = [](const GpuQuad& quad) { return std::pair(quad.throttled, unrest_of(quad)); };
  for (int tried = 0; tried < quad_tries; ++tried) {
    GpuQuad taken;
    KE_TRY(const bool good, take(taken));
    if (!good) return false;
    const bool throttled = taken.throttled;
    if (tried == 0 || rank(taken) < rank(best)) best = std::move(taken);
    if (!throttled && unrest_of(best) < calm) break;
    if (throttled && tried + 1 < quad_tries) std::this_thread::sleep_for((tried + 1) * cooling);
  }
  return true;
}

}  // namespace ke::gpu
