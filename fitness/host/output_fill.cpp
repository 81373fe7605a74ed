#include "fitness/host/output_fill.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fitness/dtype.hpp"

namespace ke {
namespace {

constexpr std::size_t pool_words = (std::size_t{1} << 18) / 8;
constexpr std::size_t spare_words = (std::size_t{1} << 16) / 8;  // a fill begins anywhere in these
constexpr std::size_t line_bytes = 64;

/// How random bits become elements: word = (bits & keep) | set.
struct Mask {
  std::uint64_t keep = ~std::uint64_t{0};
  std::uint64_t set = 0;
};

std::uint64_t repeated(std::uint64_t element, std::size_t bytes) {
  return bytes == 2 ? element * 0x0001000100010001 : element * 0x0000000100000001;
}

Mask mask_of(Dtype dtype, std::uint64_t keep, std::uint64_t set) {
  const std::size_t bytes = bytes_of(dtype);
  return bytes == 8 ? Mask{keep, set} : Mask{repeated(keep, bytes), repeated(set, bytes)};
}

// Keeps sign, mantissa and the lowest bits of the exponent; the others choose one of all ranges.
Mask floats_mask(Dtype dtype, std::uint64_t seed) {
  switch (dtype) {
    case Dtype::float32: return mask_of(dtype, 0x83ffffff, (seed & 31) << 26);
    case Dtype::float64: return mask_of(dtype, 0x807fffffffffffff, (seed & 255) << 55);
    case Dtype::float16: return mask_of(dtype, 0x8fff, (seed & 7) << 12);
    case Dtype::bfloat16: return mask_of(dtype, 0x83ff, (seed & 31) << 10);
    default: return {};
  }
}

Mask nan_mask(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32: return mask_of(dtype, 0x803fffff, 0x7fc00000);
    case Dtype::float64: return mask_of(dtype, 0x8007ffffffffffff, 0x7ff8000000000000);
    case Dtype::float16: return mask_of(dtype, 0x81ff, 0x7e00);
    case Dtype::bfloat16: return mask_of(dtype, 0x803f, 0x7fc0);
    default: return {};
  }
}

// The output function of SplitMix64 [Steele2014].
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

FillKind random_fill_kind(std::uint64_t bits) {
  constexpr FillKind others[] = {FillKind::zeros, FillKind::nan, FillKind::bits, FillKind::kept,
                                 FillKind::answer};
  const std::uint64_t drawn = bits % (2 * std::size(others));
  return drawn < std::size(others) ? others[drawn] : FillKind::floats;
}

OutputFill::OutputFill(SecretRandom& random) : pool_(pool_words + spare_words) {
  random.fill_bytes(std::as_writable_bytes(std::span(pool_)));
}

void OutputFill::fill(FillKind kind, Dtype dtype, std::uint64_t seed,
                      std::span<std::byte> output) const {
  if (kind == FillKind::zeros) return void(std::ranges::fill(output, std::byte{0}));
  const Mask mask = kind == FillKind::floats ? floats_mask(dtype, mixed(seed))
                    : kind == FillKind::nan  ? nan_mask(dtype)
                                             : Mask{};
  const std::uint64_t others = mixed(++seed);
  std::uint64_t part[1024];
  while (!output.empty()) {
    const std::size_t from = mixed(++seed) % spare_words;
    const std::size_t most = std::min(output.size(), pool_words * sizeof(std::uint64_t));
    for (std::size_t done = 0; done < most;) {
      const std::size_t bytes = std::min(most - done, sizeof part);
      const std::uint64_t* const bits = pool_.data() + from + done / sizeof(std::uint64_t);
      const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
      for (std::size_t i = 0; i < words; ++i) part[i] = ((bits[i] ^ others) & mask.keep) | mask.set;
      std::memcpy(output.data() + done, part, bytes);
      done += bytes;
    }
    output = output.subspan(most);
  }
}

void touch(std::span<const std::byte> output) {
  for (std::size_t at = 0; at < output.size(); at += line_bytes) {
    static_cast<void>(*static_cast<const volatile std::byte*>(output.data() + at));
  }
}

void write_answer(const FreshContent& content, std::size_t output, std::byte* to) {
  const Content& entry = *content.entry;
  const Dtype dtype = content.task().tensors[content.shapes().inputs + output].dtype;
  const bool rotated = std::ranges::any_of(content.rotation, [](auto by) { return by != 0; });
  if (!rotated && content.output_factors[output] == 1 && dtype == Dtype::float32) {
    std::memcpy(to, entry.facts[output].rounded.data(),
                entry.facts[output].rounded.size() * sizeof(float));
    return;
  }
  const std::vector<double> values = std::move(expected_outputs(content)[output]);
  if (is_float(dtype)) return narrow_all(dtype, std::span<const double>(values), to);
  for (std::size_t i = 0; i < values.size(); ++i) {
    put_int(dtype, to, i, static_cast<std::int64_t>(values[i]));
  }
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15 + (sum >> 32);
    bytes = bytes.subspan(count);
  }
  return sum;
}

}  // namespace ke
