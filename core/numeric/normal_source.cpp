#include "core/numeric/normal_source.hpp"

#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int layers = 256;
// Start of the tail and area of each layer, for 256 layers [Marsaglia2000].
constexpr double tail = 3.6541528853610088;
constexpr double area = 0.00492867323399;

double density(double x) { return portable_exp(-0.5 * x * x); }

// Layer i spans |x| < edge[i] and heights height[i] to height[i + 1]; layer 0 holds the tail.
struct Tables {
  std::array<double, layers + 1> edge;
  std::array<double, layers + 1> height;
  std::array<double, layers> scale;         ///< edge[i] / 2^23
  std::array<std::int32_t, layers> inside;  ///< positions below this are certainly under the curve
};

Tables make_tables() {
  Tables t;
  t.edge[0] = area / density(tail);
  t.edge[1] = tail;
  t.height[0] = 0;
  t.height[1] = density(tail);
  for (std::size_t i = 2; i < layers; ++i) {
    t.height[i] = t.height[i - 1] + area / t.edge[i - 1];
    t.edge[i] = std::sqrt(-2 * portable_log(t.height[i]));
  }
  t.edge[layers] = 0;
  t.height[layers] = 1;
  for (std::size_t i = 0; i < layers; ++i) {
    t.scale[i] = t.edge[i] * 0x1.0p-23;
    t.inside[i] = static_cast<std::int32_t>(t.edge[i + 1] / t.edge[i] * 0x1.0p23);
  }
  return t;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

// The upper 24 of 32 bits, signed; the lower 8 select the layer.
std::int32_t position_of(std::uint32_t bits) { return static_cast<std::int32_t>(bits) >> 8; }
std::size_t layer_of(std::uint32_t bits) { return bits & (layers - 1); }

StreamKey next_slot(StreamKey key) {
  ++key.slot;
  return key;
}

}  // namespace

NormalSource::NormalSource(const StreamKey& key) : stream_(key), rare_(next_slot(key)) {}

void NormalSource::refill() {
  stream_.fill(buffer_);
  used_ = 0;
}

std::uint64_t NormalSource::below(std::uint64_t n) {
  KE_CHECK(n >= 1);
  if (used_ == buffer_.size()) refill();
  return static_cast<std::uint64_t>((static_cast<Wide>(buffer_[used_++]) * n) >> 64);
}

// Handles draws that the fast path cannot accept: the tail, a layer's wedge, or a redraw.
double NormalSource::outside(std::uint32_t bits) {
  const Tables& t = tables();
  for (;; bits = rare_.bits()) {
    const std::size_t layer = layer_of(bits);
    const std::int32_t position = position_of(bits);
    const double x = position * t.scale[layer];
    if (std::abs(position) < t.inside[layer]) return x;
    if (layer == 0) {
      double beyond = 0;
      double height = 0;
      do {
        beyond = -portable_log(1 - rare_.uniform()) / tail;
        height = -portable_log(1 - rare_.uniform());
      } while (2 * height < beyond * beyond);
      return position < 0 ? -tail - beyond : tail + beyond;
    }
    const double low = t.height[layer];
    if (low + rare_.uniform() * (t.height[layer + 1] - low) < density(x)) return x;
  }
}

template <typename Tables>
double NormalSource::normal_from(const Tables& t, std::uint32_t bits) {
  const std::int32_t position = position_of(bits);
  const std::size_t layer = layer_of(bits);
  return std::abs(position) < t.inside[layer] ? position * t.scale[layer] : outside(bits);
}

double NormalSource::normal() {
  double value = 0;
  fill({&value, 1});
  return value;
}

void NormalSource::fill(std::span<double> values) {
  const Tables& t = tables();
  for (std::size_t i = 0; i < values.size();) {
    if (used_ == buffer_.size()) refill();
    const std::size_t pairs = std::min((values.size() - i) / 2, buffer_.size() - used_);
    for (std::size_t k = 0; k < pairs; ++k, i += 2) {
      const std::uint64_t bits = buffer_[used_ + k];
      values[i] = normal_from(t, static_cast<std::uint32_t>(bits >> 32));
      values[i + 1] = normal_from(t, static_cast<std::uint32_t>(bits));
    }
    used_ += pairs;
    if (i + 1 == values.size() && used_ < buffer_.size()) {
      values[i++] = normal_from(t, static_cast<std::uint32_t>(buffer_[used_++] >> 32));
    }
  }
}

}  // namespace ke
