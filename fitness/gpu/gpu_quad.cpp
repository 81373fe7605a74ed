#include "fitness/gpu/gpu_quad.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "fitness/timing/robust.hpp"

namespace ke::gpu {
namespace {

constexpr double share = 0.25;

constexpr double remembered_gain = 1.5;  // as on CPUs
constexpr double jitter_ns = 5'000;

constexpr int quad_tries = 3;
constexpr double calm = 0.1;
constexpr std::chrono::milliseconds cooling{50};

}  // namespace

void HiddenTime::add(int arm, std::int64_t event_ns, std::int64_t host_ns) {
  beyond_.at(static_cast<std::size_t>(arm)).push_back(static_cast<double>(host_ns - event_ns));
  if (arm == 0) events_.push_back(static_cast<double>(event_ns));
}

bool HiddenTime::suspected(std::int64_t slack_ns) const {
  return lower_quartile(beyond_[0]) - lower_quartile(beyond_[1]) >=
         static_cast<double>(slack_ns) + share * median_of(events_);
}

void FirstCall::add(bool is_new, std::int64_t event_ns) {
  (is_new ? new_ns_ : known_.emplace_back()) = static_cast<double>(event_ns);
}

bool FirstCall::suspected() const {
  return !known_.empty() && new_ns_ > remembered_gain * median_of(known_) + jitter_ns;
}

void Recall::add(int arm, bool is_new, std::int64_t event_ns) {
  auto& list = (is_new ? new_ : known_).at(static_cast<std::size_t>(arm));
  list.push_back(std::log(std::max(1.0, static_cast<double>(event_ns))));
}

std::optional<ClusterEstimate> Recall::estimate() const {
  ClusterEstimate estimate;
  for (std::size_t arm = 0; arm < 2; ++arm) {
    if (known_[arm].empty() || new_[arm].empty()) return std::nullopt;
    const double slower = median_of(new_[arm]) - median_of(known_[arm]);
    estimate.log_ratio += arm == 0 ? slower : -slower;
    estimate.quad_spread = std::hypot(estimate.quad_spread, mad_spread(known_[arm]));
  }
  estimate.quads = static_cast<int>(std::min(new_[0].size(), new_[1].size()));
  return estimate;
}

double unrest_of(const GpuQuad& quad) {
  const auto apart = [&](std::size_t i, std::size_t j) {
    const auto a = static_cast<double>(quad.event_ns[i]), b = static_cast<double>(quad.event_ns[j]);
    return std::abs(a - b) / std::max(1.0, std::min(a, b));
  };
  return std::min(apart(0, 3), apart(1, 2));
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
