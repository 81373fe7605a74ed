#pragma once
// Normal and uniform random numbers in bulk, equal on every machine.

#include <array>
#include <cstdint>
#include <span>

#include "core/random_stream.hpp"

namespace ke {

/// Draws from the key's RandomStream through a buffer. Normal numbers use a ziggurat of 256 layers
/// [Marsaglia2000] with 32 bits per number: 8 select the layer, 24 the position in it
/// [Doornik2005], so neighbouring numbers are up to 5e-7 apart. The tables are computed with
/// portable_log and portable_exp. One number in 80 needs more bits, from the stream of the next
/// slot.
class NormalSource {
 public:
  explicit NormalSource(const StreamKey& key);

  /// Standard normal numbers.
  void fill(std::span<double> values);
  /// Uniform in [0, n), n >= 1: the high word of a 64-bit product, biased by less than n / 2^64.
  std::uint64_t below(std::uint64_t n);
  double normal();

 private:
  void refill();
  template <typename Tables>
  double normal_from(const Tables& tables, std::uint32_t bits);
  double outside(std::uint32_t bits);

  RandomStream stream_;
  RandomStream rare_;
  std::array<std::uint64_t, 512> buffer_;
  std::size_t used_ = 512;
};

}  // namespace ke
