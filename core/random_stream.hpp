#pragma once
// Random numbers that depend only on logical time, not on the machine or the number of workers.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// The use of a stream: two uses in one slot never share numbers.
enum class Purpose : std::uint32_t { ask, vary, resume, migrate, bootstrap, test, model, hint };

/// Identifies one stream.
struct StreamKey {
  std::uint64_t seed = 0;
  std::int64_t island = 0;
  std::int64_t step = 0;
  std::int64_t slot = 0;
  Purpose purpose = Purpose::ask;
};

/// Philox 4x32-10 in counter mode [Salmon2011] with our own distributions. Equal keys give equal
/// numbers on every machine. 2^34 numbers per stream.
class RandomStream {
 public:
  explicit RandomStream(const StreamKey& key);

  /// Uniform over all 32-bit values.
  std::uint32_t bits() {
    if (used_ == ready_.size()) refill();
    return ready_[used_++];
  }
  /// The next values.size() * 64 bits, each value as `high << 32 | low` of two draws of `bits`;
  /// several times faster than drawing them one by one.
  void fill(std::span<std::uint64_t> values);
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(word() >> 11) * 0x1.0p-53; }
  /// Uniform in [0, n), unbiased [Lemire2019]. n >= 1.
  std::uint64_t below(std::uint64_t n) {
    KE_CHECK(n >= 1);
    __extension__ using Wide = unsigned __int128;
    for (;;) {
      const Wide product = static_cast<Wide>(word()) * n;
      const auto low = static_cast<std::uint64_t>(product);
      // The threshold is below n, so most draws avoid the division.
      if (low >= n || low >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);
    }
  }
  /// An index drawn with probability proportional to its weight; weights >= 0, their sum > 0.
  std::size_t weighted(std::span<const double> weights);

 private:
  std::uint64_t word() {
    const std::uint64_t high = bits();
    return high << 32 | bits();
  }
  void refill();
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
  /// Several blocks at once, computed independently of each other.
  std::array<std::uint32_t, 16> ready_{};
  std::size_t used_ = ready_.size();
};

}  // namespace ke
