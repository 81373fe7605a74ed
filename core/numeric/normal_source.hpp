#pragma once
// Normal and uniform numbers in bulk, equal on every machine.

#include <array>
#include <cstdint>
#include <span>

#include "core/random_stream.hpp"

namespace ke {

/// Draws from the RandomStream of its key through a buffer. Normal numbers by a ziggurat of 256
/// layers [Marsaglia2000]: 32 bits a number, eight for the layer and 24 others for the place in it
/// [Doornik2005], so neighbouring numbers are up to 5e-7 apart. Its tables rest on portable_log and
/// portable_exp. One number in 80 needs more than that, from the stream of the next slot.
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
