#include "fitness/content/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <type_traits>

#include "fitness/content/content.hpp"

namespace ke {
namespace {

template <typename T>
void flush_subnormals(const Task& task, Dtype dtype, std::span<T> values) {
  if (task.subnormals != Subnormals::flush || dtype == Dtype::float16) return;
  const auto least = static_cast<T>(format_of(dtype).least_normal);
  for (T& value : values) {
    if (std::abs(value) < least) value = std::copysign(T{0}, value);
  }
}

/// Multiplies by the tensor's scale; finite values stay finite.
template <typename T>
void apply_scale(const TensorSpec& spec, std::span<T> values) {
  if (spec.scale == 1) return;
  const auto most = static_cast<T>(format_of(spec.dtype).largest);
  for (T& value : values) {
    if (std::isfinite(value)) value = std::clamp(value * static_cast<T>(spec.scale), -most, most);
  }
}

template <typename T>
void finish_floats(const Task& task, const TensorSpec& spec, std::vector<T>& values,
                   std::byte* to) {
  apply_scale(spec, std::span(values));
  flush_subnormals(task, spec.dtype, std::span(values));
  narrow_all(spec.dtype, std::span<const T>(values), to);
}

constexpr std::size_t chunk = 1024;
template <typename T>
constexpr T inf = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

/// 24 random bits as a float in [-2^23, 2^23).
inline float centred(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word) >> 8);
}

/// Sum of four uniforms: close to normal, tails end at 3.46 sigma, all mantissa bits in use.
template <typename T>
void normal(T sigma, SecretRandom& random, std::span<T> values) {
  // Each uniform has variance 2^48 / 12.
  constexpr T unit = static_cast<T>(1.7320508075688772) / static_cast<T>(16777216);
  std::array<std::uint32_t, 4 * chunk> words;
  const T scale = sigma * unit;
  for (std::size_t at = 0; at < values.size(); at += chunk) {
    const std::size_t count = std::min(chunk, values.size() - at);
    random.fill(std::span(words).first(4 * count));
    T* out = values.data() + at;
    const std::uint32_t* a = words.data();
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = scale * static_cast<T>((centred(a[i]) + centred(a[i + count])) +
                                      (centred(a[i + 2 * count]) + centred(a[i + 3 * count])));
    }
  }
}

/// Normal with a small sigma, and a subnormal of either sign about every 16 elements.
template <typename T>
void tiny(Dtype dtype, SecretRandom& random, std::span<T> values) {
  const FloatFormat format = format_of(dtype);
  const double sigma = dtype == Dtype::float16 ? 0x1p-10 : dtype == Dtype::float64 ? 1e-160 : 1e-20;
  normal(static_cast<T>(sigma), random, values);
  const auto steps = static_cast<std::uint64_t>(format.least_normal / format.least);
  for (std::size_t i = random.below(16); i < values.size(); i += 1 + random.below(31)) {
    const auto magnitude = static_cast<double>(random.below(steps)) * format.least;
    values[i] = static_cast<T>(random.below(2) == 0 ? magnitude : -magnitude);
  }
}

/// Uniform in (0, 2], from as many random bits as the type has digits.
template <typename T>
void positive(SecretRandom& random, std::span<T> values) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int digits = std::numeric_limits<T>::digits;
  constexpr int dropped = std::numeric_limits<Word>::digits - digits;
  constexpr T step = T{2} / static_cast<T>(Word{1} << digits);
  std::array<Word, chunk> words;
  for (std::size_t at = 0; at < values.size(); at += chunk) {
    const std::size_t count = std::min(chunk, values.size() - at);
    random.fill_bytes(std::as_writable_bytes(std::span(words).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      values[at + i] = (static_cast<T>(words[i] >> dropped) + 1) * step;
    }
  }
}

template <typename T>
T nonzero(SecretRandom& random) {
  const auto size = static_cast<T>(0.25 + 3.75 * random.uniform());
  return random.below(2) == 0 ? size : -size;
}

template <typename T>
void one_hot(std::size_t row, SecretRandom& random, std::span<T> values) {
  std::fill(values.begin(), values.end(), T{0});
  for (std::size_t at = 0; at < values.size(); at += row) {
    values[at + random.below(std::min(row, values.size() - at))] = nonzero<T>(random);
  }
}

/// Running sums of positive steps, scaled to [-4, 4]. Never falling, because binary searches need
/// sorted input.
template <typename T>
void rising(double (*step)(double), std::size_t row, SecretRandom& random, std::span<T> values) {
  positive(random, values);
  for (std::size_t at = 0; at < values.size(); at += row) {
    const auto line = values.subspan(at, std::min(row, values.size() - at));
    double sum = 0;
    for (const T value : line) sum += step(value);
    const double scale = 8.0 / sum;
    double reached = 0;
    for (T& value : line) {
      reached += step(value);
      value = static_cast<T>((reached - sum / 2) * scale);
    }
  }
}

template <typename T>
void sorted(std::size_t row, SecretRandom& random, std::span<T> values) {
  rising([](double step) { return step; }, row, random, values);
}

/// A few steps cover nearly the whole range; most are too small to see.
template <typename T>
void clustered(std::size_t row, SecretRandom& random, std::span<T> values) {
  rising([](double step) { return std::pow(step, 24); }, row, random, values);
}

/// Rounds to multiples of 1/4: equal values become frequent, and ascending rows stay ascending.
template <typename T>
void coarsen(std::span<T> values) {
  for (T& value : values) value = std::nearbyint(value * 4) / 4;
}

/// Rows that rise from the negative to the positive end of the subnormal numbers.
template <typename T>
void tiny_sorted(Dtype dtype, std::size_t row, SecretRandom& random, std::span<T> values) {
  sorted(row, random, values);
  const auto scale = static_cast<T>(format_of(dtype).least_normal / 4);
  for (T& value : values) value *= scale;
}

/// Puts a few elements near the ends of float16's range into about half of the rows.
template <typename T>
void overload_rows(std::size_t row, SecretRandom& random, std::span<T> values) {
  for (std::size_t at = 0; at < values.size(); at += row) {
    if (random.below(2) == 0) continue;
    const auto line = values.subspan(at, std::min(row, values.size() - at));
    for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
      const auto size = static_cast<T>(0x1p15 + (65504 - 0x1p15) * random.uniform());
      line[random.below(line.size())] = random.below(2) == 0 ? size : -size;
    }
  }
}

/// Fills one row of nan_inf: with nothing, one kind, a mixture, or only -inf.
template <typename T>
void spoil(SecretRandom& random, std::span<T> line) {
  constexpr T specials[] = {nan<T>, inf<T>, -inf<T>};
  const std::uint64_t kind = random.below(10);
  if (kind >= 5) return;
  if (kind == 4) return std::fill(line.begin(), line.end(), -inf<T>);
  const std::uint64_t count = 1 + random.below(std::min<std::uint64_t>(line.size(), 4));
  for (std::uint64_t i = 0; i < count; ++i) {
    line[random.below(line.size())] = specials[kind == 3 ? random.below(3) : kind];
  }
}

/// Like spoil, but always puts something, mostly NaN: some tasks have only one row.
template <typename T>
void spoil_surely(SecretRandom& random, std::span<T> line) {
  const std::uint64_t kind = random.below(8);
  if (kind == 7) return std::fill(line.begin(), line.end(), -inf<T>);
  const auto put = [&](T special) { line[random.below(line.size())] = special; };
  if (kind < 5) return put(kind < 3 ? nan<T> : kind == 3 ? inf<T> : -inf<T>);
  put(inf<T>);
  put(-inf<T>);
  put(nan<T>);  // last, so that no other value overwrites it
}

/// Spoils one row for certain, and most of the others.
template <typename T>
void spoil_rows(std::size_t row, SecretRandom& random, std::span<T> values) {
  const std::size_t rows = (values.size() + row - 1) / row;
  const std::size_t chosen = random.below(std::max<std::size_t>(rows, 1));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto line = values.subspan(r * row, std::min(row, values.size() - r * row));
    // A lone NaN reveals which places a kernel reads.
    const bool surely = r == chosen || random.below(2) == 0;
    surely ? spoil_surely(random, line) : spoil(random, line);
  }
}

template <typename T>
void fill_floats(std::string_view input_class, std::size_t row, SecretRandom& random,
                 std::span<T> values, Dtype dtype) {
  if (input_class == "normal") return normal(T{1}, random, values);
  if (input_class == "large") return normal(T{60}, random, values);
  if (input_class == "tiny") return tiny(dtype, random, values);
  if (input_class == "positive") return positive(random, values);
  if (input_class == "constant") return std::fill(values.begin(), values.end(), nonzero<T>(random));
  if (input_class == "one_hot") return one_hot(row, random, values);
  if (input_class == "sorted") return sorted(row, random, values);
  if (input_class == "clustered") return clustered(row, random, values);
  if (input_class == "huge") {
    return normal(static_cast<T>(format_of(dtype).largest / 8), random, values);
  }
  if (input_class == "grid") return normal(T{1}, random, values), coarsen(values);
  if (input_class == "steps") return sorted(row, random, values), coarsen(values);
  if (input_class == "tiny_sorted") return tiny_sorted(dtype, row, random, values);
  input_class == "positive_nan_inf" ? positive(random, values) : normal(T{1}, random, values);
  if (input_class == "overflow") return overload_rows(row, random, values);
  KE_CHECK(input_class == "nan_inf" || input_class == "positive_nan_inf");
  spoil_rows(row, random, values);
}

/// Floor of range^u, so that P(v) falls as 1 / v.
std::uint64_t zipf(std::uint64_t range, SecretRandom& random) {
  const double power = std::exp(random.uniform() * std::log(static_cast<double>(range) + 1));
  return std::min(static_cast<std::uint64_t>(std::min(power, 0x1p63)) - 1, range - 1);
}

template <typename T>
void fill_ints(std::string_view input_class, std::int64_t low, std::int64_t high,
               SecretRandom& random, std::span<T> values) {
  // Unsigned, because int64 cannot count all values of its own range.
  const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const auto at = [&](std::uint64_t i) {
    return static_cast<T>(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + i));
  };
  if (input_class == "uniform") {
    for (auto& value : values) value = at(random.below(range));
  } else if (input_class == "zipf") {
    for (auto& value : values) value = at(zipf(range, random));
  } else if (input_class == "constant") {
    std::fill(values.begin(), values.end(), at(random.below(range)));
  } else {
    KE_CHECK(input_class == "sequential");
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(i % range);
  }
}

}  // namespace

void leave_out_subnormals(const Task& task, Dtype dtype, std::span<double> values) {
  flush_subnormals(task, dtype, values);
}

std::vector<std::byte> draw_input(const Task& task, const Shapes& shapes, std::size_t input,
                                  const std::string& input_class, SecretRandom& random) {
  const TensorSpec& spec = task.tensors[input];
  const TensorShape& shape = shapes.tensors[input];
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.bytes));
  const auto elements = static_cast<std::size_t>(shape.elements);
  if (is_int(spec.dtype)) {
    generate_ints(input_class, spec.range_low, shapes.range_high[input], random, spec.dtype, bytes);
  } else if (spec.dtype == Dtype::float64) {
    std::vector<double> values(elements);
    generate_doubles(input_class, shape.dims.back(), random, values);
    finish_floats(task, spec, values, bytes.data());
  } else {
    std::vector<float> values(elements);
    generate_floats(input_class, shape.dims.back(), random, values, spec.dtype);
    finish_floats(task, spec, values, bytes.data());
  }
  return bytes;
}

const std::vector<std::string>& classes_of(Dtype dtype) {
  static const std::vector<std::string> floats = {
      "normal", "large",     "huge", "tiny",  "positive",    "constant", "one_hot",
      "sorted", "clustered", "grid", "steps", "tiny_sorted", "nan_inf",  "positive_nan_inf"};
  static const std::vector<std::string> halves = [] {
    auto names = floats;
    names.push_back("overflow");
    return names;
  }();
  static const std::vector<std::string> ints = {"uniform", "zipf", "constant", "sequential"};
  static const std::vector<std::string> bools = {"uniform", "constant"};
  if (dtype == Dtype::boolean) return bools;
  if (is_int(dtype)) return ints;
  return dtype == Dtype::float16 ? halves : floats;
}

void generate_floats(std::string_view input_class, std::int64_t row, SecretRandom& random,
                     std::span<float> values, Dtype dtype) {
  KE_CHECK(row >= 1 && dtype != Dtype::float64);
  fill_floats(input_class, static_cast<std::size_t>(row), random, values, dtype);
  if (!is_half(dtype)) return;
  for (float& value : values) value = rounded_to(dtype, value);
}

void generate_doubles(std::string_view input_class, std::int64_t row, SecretRandom& random,
                      std::span<double> values) {
  KE_CHECK(row >= 1);
  fill_floats(input_class, static_cast<std::size_t>(row), random, values, Dtype::float64);
}

void generate_ints(std::string_view input_class, std::int64_t low, std::int64_t high,
                   SecretRandom& random, Dtype dtype, std::span<std::byte> tensor) {
  KE_CHECK(low < high);
  with_int_type(dtype, [&]<typename T>(T) {
    const std::span<T> values(reinterpret_cast<T*>(tensor.data()), tensor.size() / sizeof(T));
    fill_ints(input_class, low, high, random, values);
  });
}

void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output) {
  random.fill_bytes(output);
  // Keeps sign, mantissa and three bits of the exponent: +-[2^-4, 2^4).
  const auto moderate = [&]<typename Word>(Word kept, Word added) {
    auto* words = reinterpret_cast<Word*>(output.data());
    for (std::size_t i = 0; i < output.size() / sizeof(Word); ++i) {
      words[i] = static_cast<Word>((words[i] & kept) + added);
    }
  };
  switch (dtype) {
    case Dtype::float32: return moderate(std::uint32_t{0x83ffffff}, std::uint32_t{0x3d800000});
    case Dtype::float16: return moderate(std::uint16_t{0x9fff}, std::uint16_t{0x2c00});
    case Dtype::bfloat16: return moderate(std::uint16_t{0x83ff}, std::uint16_t{0x3d80});
    case Dtype::float64:
      return moderate(std::uint64_t{0x807fffffffffffff}, std::uint64_t{0x3fb0000000000000});
    default: return;
  }
}

}  // namespace ke
