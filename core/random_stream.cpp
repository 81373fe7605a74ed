#include "core/random_stream.hpp"

#include <Random123/philox.h>

#include <algorithm>

namespace ke {

RandomStream::RandomStream(const StreamKey& key)
    : counter_{0, static_cast<std::uint32_t>(key.step),
               static_cast<std::uint32_t>(key.step >> 32) ^
                   (static_cast<std::uint32_t>(key.island) << 8),
               (static_cast<std::uint32_t>(key.slot) << 4) |
                   static_cast<std::uint32_t>(key.purpose)},
      key_{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)} {
  KE_CHECK(key.step >= 0 && key.step < (std::int64_t{1} << 40));
  KE_CHECK(key.island >= 0 && key.island < (1 << 24));
  KE_CHECK(key.slot >= 0 && key.slot < (1 << 28));
}

void RandomStream::refill() {
  const philox4x32_key_t key = {{key_[0], key_[1]}};
  philox4x32_ctr_t counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
  for (std::size_t i = 0; i < ready_.size(); i += 4, ++counter.v[0]) {
    const philox4x32_ctr_t block = philox4x32(counter, key);
    std::copy(std::begin(block.v), std::end(block.v), ready_.begin() + i);
  }
  counter_[0] = counter.v[0];
  used_ = 0;
}

void RandomStream::fill(std::span<std::uint64_t> values) {
  std::size_t i = 0;
  const auto draw = [&] {
    const std::uint64_t high = bits();
    values[i++] = high << 32 | bits();
  };
  while (used_ != ready_.size() && i < values.size()) draw();
  const philox4x32_key_t key = {{key_[0], key_[1]}};
  philox4x32_ctr_t counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
  for (; i + 2 <= values.size() && used_ == ready_.size(); i += 2, ++counter.v[0]) {
    const philox4x32_ctr_t block = philox4x32(counter, key);
    values[i] = std::uint64_t{block.v[0]} << 32 | block.v[1];
    values[i + 1] = std::uint64_t{block.v[2]} << 32 | block.v[3];
  }
  counter_[0] = counter.v[0];
  while (i < values.size()) draw();
}

std::size_t RandomStream::weighted(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  KE_CHECK(sum > 0);
  double left = uniform() * sum;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) return i;
  }
  return last;
}

}  // namespace ke
