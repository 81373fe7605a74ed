#include "fitness/dtype.hpp"

#include <cmath>
#include <cstring>

namespace ke {
namespace {

// Differences of binary32 and binary16: exponent biases, and mantissa lengths in bits.
constexpr std::uint32_t rebias = (127 - 15) << 23;
constexpr int dropped = 13;

float widened_half(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  if (rest < 0x400u) {
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return sign == 0 ? magnitude : -magnitude;
  }
  // Infinities and NaN have an exponent of all ones, whatever the bias.
  const std::uint32_t moved = rest < 0x7c00u ? rebias : 0x70000000u;
  return std::bit_cast<float>(sign | ((rest << dropped) + moved));
}

// Rounds to nearest even: adds just less than half a unit of the last kept place, plus that place's
// lowest bit, so that the carry rounds.
std::uint32_t shifted(std::uint32_t bits, int places) {
  return (bits + (1u << (places - 1)) - 1 + ((bits >> places) & 1u)) >> places;
}

std::uint32_t narrowed_half(std::uint32_t magnitude) {
  if (magnitude >= 0x47800000u) return 0x7c00;  // 65536 and above
  if (magnitude >= 0x38800000u) return shifted(magnitude - rebias, dropped);
  return static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f));
}

}  // namespace

float widened(Dtype dtype, std::uint16_t bits) {
  return dtype == Dtype::bfloat16 ? std::bit_cast<float>(std::uint32_t{bits} << 16)
                                  : widened_half(bits);
}

std::uint16_t narrowed(Dtype dtype, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  const bool brain = dtype == Dtype::bfloat16;
  std::uint32_t made = brain ? 0x7fc0 : 0x7e00;
  if (magnitude <= 0x7f800000u) made = brain ? shifted(magnitude, 16) : narrowed_half(magnitude);
  return static_cast<std::uint16_t>(sign | made);
}

std::uint16_t scaled(Dtype dtype, std::uint16_t bits, float factor) {
  const float value = widened(dtype, bits);
  return std::isnan(value) ? bits : narrowed(dtype, value * factor);
}

std::int64_t int_at(Dtype dtype, const std::byte* tensor, std::size_t at) {
  return with_int_type(dtype, [&](auto value) -> std::int64_t {
    std::memcpy(&value, tensor + at * sizeof value, sizeof value);
    return value;
  });
}

void put_int(Dtype dtype, std::byte* tensor, std::size_t at, std::int64_t value) {
  with_int_type(dtype, [&](auto element) {
    element = static_cast<decltype(element)>(value);
    std::memcpy(tensor + at * sizeof element, &element, sizeof element);
  });
}

}  // namespace ke
