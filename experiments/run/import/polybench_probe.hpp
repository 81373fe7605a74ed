#pragma once
// Part of the program that measures a PolyBench/C problem: draws inputs, times, and compares with
// long double.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <type_traits>
#include <vector>

/// SplitMix64, local because the program stands alone; no decision of a run depends on it.
class Draws {
 public:
  explicit Draws(int seed) : state_(static_cast<std::uint64_t>(seed) << 32) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Normal value by the Box-Muller method.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  std::uint64_t state_;
};

/// Draws normal values times `scale`, or integers in [0, high).
template <typename Element>
void draw(std::vector<Element>& values, std::size_t count, int seed, double scale, int high) {
  Draws draws(seed);
  values.resize(count);
  for (Element& value : values) {
    if constexpr (std::is_integral_v<Element>) {
      value = static_cast<Element>(draws.next() % static_cast<std::uint64_t>(high));
    } else {
      value = static_cast<Element>(draws.normal() * scale);
    }
  }
}

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Largest errors of the outputs, relative to value and rms of the row, and to the norm.
class Errors {
 public:
  explicit Errors(double seconds) : seconds_(seconds) {}

  template <typename Element, typename Exact>
  void add(const std::vector<Element>& got, const std::vector<Exact>& want, std::size_t row) {
    long double all = 0;
    long double missed = 0;
    for (std::size_t from = 0; from < want.size(); from += row) {
      const std::size_t to = std::min(from + row, want.size());
      long double squares = 0;
      for (std::size_t i = from; i < to; ++i) squares += 1.0L * want[i] * want[i];
      const long double rms = std::sqrt(squares / static_cast<long double>(to - from));
      for (std::size_t i = from; i < to; ++i) {
        const long double error = std::fabs(1.0L * got[i] - want[i]);
        finite_ = finite_ && std::isfinite(static_cast<double>(got[i]));
        largest_ = std::max(largest_, std::fabs(static_cast<double>(got[i])));
        if (error > 0)
          relative_ = std::max<long double>(relative_, error / (std::fabs(1.0L * want[i]) + rms));
        missed += error * error;
        hash_ = (hash_ ^ std::hash<Element>()(got[i])) * 1099511628211U;
      }
      all += squares;
    }
    if (all > 0) l2_ = std::max(l2_, std::sqrt(missed / all));
  }

  void print() const {
    std::printf("%d %.6e %.6e %.6e %.6e %llu\n", finite_ ? 1 : 0, largest_,
                static_cast<double>(relative_), static_cast<double>(l2_), seconds_,
                static_cast<unsigned long long>(hash_));
    std::fflush(stdout);
  }

 private:
  double seconds_;
  bool finite_ = true;
  double largest_ = 0;
  long double relative_ = 0;
  long double l2_ = 0;
  std::uint64_t hash_ = 14695981039346656037U;
};

/// Answers lines that hold a seed, the array to draw again (or -1), and lengths.
template <typename Probe>
void answer_lines(std::size_t axes, Probe probe) {
  int seed = 0;
  int vary = 0;
  while (std::scanf("%d %d", &seed, &vary) == 2) {
    std::vector<int> lengths(axes);
    for (int& length : lengths) {
      if (std::scanf("%d", &length) != 1) return;
    }
    probe(lengths, seed, vary);
  }
}
