#pragma once
// Random numbers that candidates must not predict. Not part of the determinism contract: no replay
// depends on them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// xoshiro256++ [Blackman2021] in eight interleaved lanes, so that the compiler vectorises it. Not
/// cryptographic: a candidate sees only inputs, one at a time, and no state. Not thread-safe.
class SecretRandom {
 public:
  using Seed = std::array<std::uint64_t, 4>;
  explicit SecretRandom(const Seed& seed);
  /// Seeds with 256 bits of the system's entropy (getrandom).
  static Result<SecretRandom> from_system();

  std::uint64_t bits();
  /// Uniform in [0, n) with a bias below n / 2^64. n >= 1.
  std::uint64_t below(std::uint64_t n);
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Fills with random bits at several GB/s.
  void fill(std::span<std::uint32_t> words);
  void fill_bytes(std::span<std::byte> bytes);

 private:
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t rounds = 32;
  void refill();
  std::array<std::array<std::uint64_t, lanes>, 4> state_;
  alignas(16) std::array<std::uint64_t, lanes * rounds> block_;
  std::size_t used_ = lanes * rounds;
};

/// Puts a list in random order.
template <typename T>
void shuffle(std::vector<T>& list, SecretRandom& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

}  // namespace ke
