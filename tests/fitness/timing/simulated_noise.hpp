#pragma once
// Simulated lane: spans with the noise measured on a real one (facts: "The duel, prototyped"). Only
// for tests; the seeds are fixed.

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "fitness/timing/cluster.hpp"

namespace ke::testing {

/// Standard normal numbers by the polar method, because std::normal_distribution differs between
/// libraries.
class Normals {
 public:
  explicit Normals(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double next() {
    if (std::exchange(has_spare_, false)) return spare_;
    double x = 0.0, y = 0.0, radius = 0.0;
    do {
      x = 2.0 * uniform() - 1.0;
      y = 2.0 * uniform() - 1.0;
      radius = x * x + y * y;
    } while (radius >= 1.0 || radius == 0.0);
    const double scale = std::sqrt(-2.0 * std::log(radius) / radius);
    spare_ = y * scale;
    has_spare_ = true;
    return x * scale;
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

struct Noise {
  // One A/B pair has a standard deviation of 5-6 % (the core's speed): sqrt(4^2 + 3.8^2) %.
  double pair = 0.04;       ///< independent part of it
  double drift = 0.038;     ///< part that drifts from span to span, which ABBA cancels
  double layout = 0.003;    ///< between re-linked builds with loops aligned to 64
  double second = 0.03;     ///< the second sample of a pair runs this much faster
  double preempted = 0.01;  ///< share of samples that other work interrupts
  int quads = 12;           ///< kept quads per cluster
};

/// Clusters of a challenger whose true gain is `gain` (0.03 = 3 %).
class SimulatedLane {
 public:
  SimulatedLane(std::uint64_t seed, const Noise& noise) : normals_(seed), noise_(noise) {}

  ClusterEstimate cluster(double gain) {
    const double advantage = std::log1p(gain) + noise_.layout * normals_.next();
    std::vector<Quad> quads;
    for (int i = 0; i <= noise_.quads; ++i) quads.push_back(quad(advantage, i == 0));
    return *estimate_cluster(quads);
  }

 private:
  Quad quad(double advantage, bool first) {
    const double drift = noise_.drift * normals_.next();
    const auto order = normals_.uniform() < 0.5 ? QuadOrder::abba : QuadOrder::baab;
    std::array<std::int64_t, 4> spans{};
    for (std::size_t i = 0; i < 4; ++i) {
      const bool outer = i == 0 || i == 3;
      const bool challenger = outer == (order == QuadOrder::abba);
      // The first quad of a process favours the challenger, so that a missing warm-up would show.
      const double bias = first && challenger ? 0.025 : 0.0;
      spans[i] =
          span(i % 2 == 1, drift * static_cast<double>(i) - (challenger ? advantage + bias : 0.0));
    }
    return make_quad(order, spans);
  }
  std::int64_t span(bool second, double shift) {
    double log_time = noise_.pair / std::sqrt(2.0) * normals_.next() + shift;
    if (second) log_time -= noise_.second;
    if (normals_.uniform() < noise_.preempted) log_time += normals_.uniform();
    return static_cast<std::int64_t>(2e6 * std::exp(log_time));
  }

  Normals normals_;
  Noise noise_;
};

}  // namespace ke::testing
