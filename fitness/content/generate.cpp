#include "fitness/content/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <type_traits>

#include "fitness/content/content.hpp"
#include "fitness/content/float_lines.hpp"
#include "fitness/content/int_lines.hpp"
#include "fitness/content/tensor_parts.hpp"

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
void finish_floats(const Task& task, const TensorSpec& spec, std::span<T> values) {
  in_parts(values, [&](std::size_t, std::span<T> part) {
    apply_scale(spec, part);
    flush_subnormals(task, spec.dtype, part);
  });
}

constexpr double tail_begin = 3;
constexpr double wide_sigma = 8;
constexpr double large_sigma = 60;
double tiny_sigma(Dtype dtype) {
  return dtype == Dtype::float16 ? 0x1p-10 : dtype == Dtype::float64 ? 1e-160 : 1e-20;
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

/// A value beyond tail_begin, by the distances of [Marsaglia1964b] without their rare rejections.
double tail_of_normal(SecretRandom& random) {
  const double beyond = -2 * std::log(1 - random.uniform());
  const double size = std::sqrt(tail_begin * tail_begin + beyond);
  return random.below(2) == 0 ? size : -size;
}

/// Sum of four uniforms, all mantissa bits in use. It ends at 3.46 sigma, so a few elements are
/// replaced by those of a normal's tails: else a kernel could rely on the bound.
template <typename T>
void part_of_normal(T sigma, SecretRandom& random, std::span<T> values) {
  // Each uniform has variance 2^48 / 12.
  constexpr T unit = static_cast<T>(1.7320508075688772) / static_cast<T>(16777216);
  std::array<std::uint32_t, 4 * chunk> words;
  constexpr T without_tails = static_cast<T>(0.9889);  // the tails bring the deviation to 1
  const T scale = sigma * unit * without_tails;
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
  constexpr std::uint64_t mean_gap = 448;  // a normal has 0.0027 beyond tail_begin, the sum 0.0005
  for (std::size_t i = random.below(2 * mean_gap); i < values.size();
       i += 1 + random.below(2 * mean_gap)) {
    values[i] = sigma * static_cast<T>(tail_of_normal(random));
  }
}

template <typename T>
void normal(T sigma, SecretRandom& random, std::span<T> values) {
  draw_in_parts(random, values,
                [&](SecretRandom& from, std::span<T> part) { part_of_normal(sigma, from, part); });
}

/// Normal around a mean that is not 0. Squares of such numbers lose what their differences keep.
/// The error of a sum in order grows with its length, so large tensors have smaller means.
template <typename T>
void shifted(Dtype dtype, SecretRandom& random, std::span<T> values) {
  const double digits = -std::log2(format_of(dtype).epsilon);
  const double size = std::log2(static_cast<double>(values.size() + 1));
  const double bits = std::min(digits * 9 / 23, 22 - size) - random.uniform();
  const double mean = std::exp2(std::max(bits, 0.0));
  const T signed_mean = static_cast<T>(random.below(2) == 0 ? mean : -mean);
  normal(T{1}, random, values);
  for (T& value : values) value += signed_mean;
}

/// Normal with a small sigma, and a subnormal of either sign about every 16 elements.
template <typename T>
void tiny(Dtype dtype, SecretRandom& random, std::span<T> values) {
  const FloatFormat format = format_of(dtype);
  normal(static_cast<T>(tiny_sigma(dtype)), random, values);
  const auto steps = static_cast<std::uint64_t>(format.least_normal / format.least);
  for (std::size_t i = random.below(16); i < values.size(); i += 1 + random.below(31)) {
    const auto magnitude = static_cast<double>(random.below(steps)) * format.least;
    values[i] = static_cast<T>(random.below(2) == 0 ? magnitude : -magnitude);
  }
}

/// Uniform in (0, 2], from as many random bits as the type has digits.
template <typename T>
void part_of_positive(SecretRandom& random, std::span<T> values) {
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
void positive(SecretRandom& random, std::span<T> values) {
  draw_in_parts(random, values, part_of_positive<T>);
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

/// NaN has either sign: x86 makes negative ones of 0 / 0.
template <typename T>
T special(std::uint64_t kind, SecretRandom& random) {
  if (kind == 0) return random.below(2) == 0 ? nan<T> : -nan<T>;
  return kind == 1 ? inf<T> : -inf<T>;
}

/// A run of elements: from the start, to the end, or anywhere; its length often a multiple of a
/// power of two.
template <typename T>
std::span<T> some_run(SecretRandom& random, std::span<T> line) {
  std::uint64_t length = 1 + random.below(line.size());
  const std::uint64_t step = std::uint64_t{8} << random.below(6);
  if (random.below(2) == 0 && length >= step) length -= length % step;
  const std::uint64_t left = line.size() - length;
  const std::uint64_t where = random.below(3);
  return line.subspan(where == 0 ? 0 : where == 1 ? left : random.below(left + 1), length);
}

/// -inf in a run or everywhere.
template <typename T>
void mask(SecretRandom& random, std::span<T> line) {
  std::ranges::fill(random.below(2) == 0 ? line : some_run(random, line), -inf<T>);
}

/// A run of very low numbers, as additive masks have them beside usual scores.
template <typename T>
void lower(double least, SecretRandom& random, std::span<T> line) {
  const double lows[] = {-1e4, -1e9, -1e10};
  if (line.size() == 1) return;
  const T kept = line[0];
  std::ranges::fill(some_run(random, line), static_cast<T>(std::max(lows[random.below(3)], least)));
  if (std::ranges::max(line) > -1000) return;  // usual scores are left
  (random.below(2) == 0 ? line.front() : line.back()) = kept;
}

/// Fills one row of nan_inf: with nothing, one kind, a mixture, or a mask. One kind stands in a
/// few places or in a run, as masks and overflows leave it.
template <typename T>
void spoil(SecretRandom& random, std::span<T> line) {
  const std::uint64_t kind = random.below(10);
  if (kind >= 5) return;
  if (kind == 4) return mask(random, line);
  if (kind < 3 && random.below(2) == 0) {
    std::ranges::fill(some_run(random, line), special<T>(kind, random));
    return;
  }
  const std::uint64_t count = 1 + random.below(std::min<std::uint64_t>(line.size(), 4));
  for (std::uint64_t i = 0; i < count; ++i) {
    line[random.below(line.size())] = special<T>(kind == 3 ? random.below(3) : kind, random);
  }
}

/// Like spoil, but always puts something, half of the time a lone NaN: it shows which places a
/// kernel reads, and some tasks have only one row.
template <typename T>
void spoil_surely(SecretRandom& random, std::span<T> line) {
  const std::uint64_t kind = random.below(8);
  const auto put = [&](std::uint64_t kind) {
    line[random.below(line.size())] = special<T>(kind, random);
  };
  if (kind < 4) return put(0);
  if (kind == 4) return put(1 + random.below(2));
  if (kind == 5) {
    std::ranges::fill(some_run(random, line), special<T>(random.below(3), random));
    return;
  }
  if (kind == 6) return mask(random, line);
  put(1);
  put(2);
  put(0);  // last, so that no other value overwrites it
}

/// Normal with a deviation far above 1, whose cube is still far below the type's largest number.
template <typename T>
void vast(Dtype dtype, SecretRandom& random, std::span<T> values) {
  const double bits = std::log2(format_of(dtype).largest) / 4;
  normal(static_cast<T>(std::exp2(bits * (0.2 + 0.8 * random.uniform()))), random, values);
}

/// Spoils one row for certain, and most of the others.
template <typename T>
void spoil_rows(std::size_t row, double least, SecretRandom& random, std::span<T> values) {
  const std::size_t rows = (values.size() + row - 1) / row;
  const std::size_t chosen = random.below(std::max<std::size_t>(rows, 1));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto line = values.subspan(r * row, std::min(row, values.size() - r * row));
    const bool surely = r == chosen || random.below(2) == 0;
    if (!surely && least < 0 && random.below(6) == 0) {
      lower(least, random, line);
      continue;
    }
    surely ? spoil_surely(random, line) : spoil(random, line);
  }
}

/// Zeros and -inf, in lines like those of a mask.
template <typename T>
void masked(std::size_t row, SecretRandom& random, std::span<T> values) {
  std::vector<std::int64_t> bits(values.size());
  for (std::int64_t& bit : bits) bit = static_cast<std::int64_t>(random.below(2));
  const std::int64_t dims[] = {static_cast<std::int64_t>(values.size() / row),
                               static_cast<std::int64_t>(row)};
  if (values.size() % row == 0) vary_bools(bits, dims, {}, random, random);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = bits[i] == 0 ? T{0} : -inf<T>;
}

template <typename T>
void fill_floats(std::string_view input_class, std::size_t row, SecretRandom& random,
                 std::span<T> values, Dtype dtype) {
  if (input_class == "normal") return normal(T{1}, random, values);
  if (input_class == "wide") return normal(static_cast<T>(wide_sigma), random, values);
  if (input_class == "large") return normal(static_cast<T>(large_sigma), random, values);
  if (input_class == "vast") return vast(dtype, random, values);
  if (input_class == "shifted") return shifted(dtype, random, values);
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
  if (input_class == "masked") return masked(row, random, values);
  input_class == "positive_nan_inf" ? positive(random, values) : normal(T{1}, random, values);
  if (input_class == "overflow") return overload_rows(row, random, values);
  KE_CHECK(input_class == "nan_inf" || input_class == "positive_nan_inf");
  const bool positive_values = input_class == "positive_nan_inf";
  spoil_rows(row, positive_values ? 0 : -format_of(dtype).largest, random, values);
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

// Floor of range^u.
std::uint64_t zipf(std::uint64_t range, SecretRandom& random) {
  const double power = std::exp(random.uniform() * std::log(static_cast<double>(range) + 1));
  return std::min(static_cast<std::uint64_t>(std::min(power, 0x1p63)) - 1, range - 1);
}

double largest_of(std::string_view input_class, Dtype dtype) {
  const double largest_normal = 2 * std::sqrt(3.0);  // but for the tails
  if (input_class == "wide") return wide_sigma * largest_normal;
  if (input_class == "large") return large_sigma * largest_normal;
  if (input_class == "huge") return format_of(dtype).largest / 8 * largest_normal;
  if (input_class == "tiny") return tiny_sigma(dtype) * largest_normal;
  if (input_class == "tiny_sorted") return format_of(dtype).least_normal;
  if (input_class == "positive" || input_class == "positive_nan_inf") return 2;
  return input_class == "masked" ? 0 : 4;
}

void leave_out_subnormals(const Task& task, Dtype dtype, std::span<double> values) {
  flush_subnormals(task, dtype, values);
}

void put_marks(const TensorSpec& spec, std::size_t row, SecretRandom& random,
               std::span<std::byte> tensor) {
  if (spec.marks.empty() || row == 0) return;
  const std::size_t elements = tensor.size() / bytes_of(spec.dtype);
  const std::uint64_t how = random.below(4);
  std::size_t kept = row;  // elements of the current row before its marked end
  for (std::size_t i = 0; i < elements; ++i) {
    if (how == 3 && i % row == 0) kept = random.below(row + 1);
    const bool marked =
        how == 3 ? i % row >= kept : how > 0 && random.below(how == 1 ? 16 : 2) == 0;
    if (marked) put_int(spec.dtype, tensor.data(), i, spec.marks[random.below(spec.marks.size())]);
  }
}

std::vector<std::byte> draw_input(const Task& task, const Shapes& shapes, std::size_t input,
                                  const std::string& input_class, SecretRandom& random) {
  const TensorSpec& spec = task.tensors[input];
  const TensorShape& shape = shapes.tensors[input];
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.bytes));
  const auto elements = static_cast<std::size_t>(shape.elements);
  if (is_int(spec.dtype)) {
    generate_ints(input_class, spec.range_low, shapes.range_high[input], random, spec.dtype, bytes);
    put_marks(spec, static_cast<std::size_t>(shape.dims.back()), random, bytes);
  } else if (spec.dtype == Dtype::float64) {
    const std::span values(reinterpret_cast<double*>(bytes.data()), elements);
    generate_doubles(input_class, shape.dims.back(), random, values);
    finish_floats(task, spec, values);
  } else if (spec.dtype == Dtype::float32) {
    const std::span values(reinterpret_cast<float*>(bytes.data()), elements);
    generate_floats(input_class, shape.dims.back(), random, values, spec.dtype);
    finish_floats(task, spec, values);
  } else {
    std::vector<float> values(elements);
    generate_floats(input_class, shape.dims.back(), random, values, spec.dtype);
    finish_floats(task, spec, std::span(values));
    narrow_all(spec.dtype, std::span<const float>(values), bytes.data());
  }
  return bytes;
}

const std::vector<std::string>& classes_of(Dtype dtype) {
  static const std::vector<std::string> floats = {
      "normal", "large",     "huge",    "tiny",  "positive",    "constant", "one_hot",
      "sorted", "clustered", "grid",    "steps", "tiny_sorted", "nan_inf",  "positive_nan_inf",
      "wide",   "masked",    "shifted", "vast"};
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

const std::vector<std::string>& line_kinds_of(Dtype dtype) {
  if (dtype == Dtype::boolean) return bool_line_kinds();
  return is_int(dtype) ? int_line_kinds() : float_line_kinds();
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

}  // namespace ke
