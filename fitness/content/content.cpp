#include "fitness/content/content.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ke {
namespace {

/// Multiplies an element by a factor that makes the product exact.
float scaled_element(Dtype, float value, float factor) { return value * factor; }
double scaled_element(Dtype, double value, float factor) { return value * double{factor}; }
std::uint16_t scaled_element(Dtype dtype, std::uint16_t bits, float factor) {
  return scaled(dtype, bits, factor);
}

template <typename T>
void copy_scaled(Dtype dtype, std::byte* to, const std::byte* from, std::int64_t count,
                 float factor) {
  auto* target = reinterpret_cast<T*>(to);
  const auto* source = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < count; ++i) target[i] = scaled_element(dtype, source[i], factor);
}

template <typename T>
void narrow(Dtype dtype, std::span<const T> values, std::byte* to) {
  KE_CHECK(is_float(dtype));
  if (is_half(dtype)) {
    auto* halves = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t i = 0; i < values.size(); ++i)
      halves[i] = narrowed(dtype, static_cast<float>(values[i]));
  } else if (dtype == Dtype::float64) {
    std::ranges::copy(values, reinterpret_cast<double*>(to));
  } else {
    auto* floats = reinterpret_cast<float*>(to);
    for (std::size_t i = 0; i < values.size(); ++i) floats[i] = static_cast<float>(values[i]);
  }
}

/// The power of two below `largest`, clamped so that it and its inverse are normal numbers.
double unit_of(double largest) {
  constexpr int farthest = 1000;
  return largest == 0 ? 1 : std::ldexp(1, std::clamp(std::ilogb(largest), -farthest, farthest));
}

/// Byte offset of element `index` of input `t`.
std::int64_t byte_of(const FreshContent& content, std::size_t t, std::int64_t index) {
  return static_cast<std::int64_t>(bytes_of(content.task().tensors[t].dtype)) * index;
}

}  // namespace

OutputFacts facts_of(std::span<const double> expected, std::int64_t row, Dtype dtype) {
  const double beyond = format_of(dtype).largest;
  OutputFacts facts;
  facts.row = row;
  if (is_float(dtype) && dtype != Dtype::float64)
    facts.rounded.assign(expected.begin(), expected.end());
  for (const double value : expected) {
    if (std::isfinite(value)) facts.largest = std::max(facts.largest, std::abs(value));
  }
  if (dtype == Dtype::float64) facts.unit = unit_of(facts.largest);
  const auto length = static_cast<std::size_t>(row);
  for (std::size_t at = 0; at < expected.size(); at += length) {
    double sum = 0;
    std::size_t finite = 0;
    bool clean = true;
    const auto line = expected.subspan(at, std::min(length, expected.size() - at));
    for (const double value : line) {
      clean = clean && std::abs(value) < beyond;
      if (!std::isfinite(value)) continue;
      sum += (value / facts.unit) * (value / facts.unit);
      ++finite;
    }
    facts.row_rms.push_back(
        finite == 0 ? 0 : std::sqrt(sum / static_cast<double>(finite)) * facts.unit);
    facts.clean.push_back(clean);
    if (clean) facts.sum_squares += sum;
  }
  return facts;
}

void OutputFacts::raise_to_common_rms() {
  double squares = 0;
  for (const double rms : row_rms) squares += (rms / unit) * (rms / unit);
  const double common = std::sqrt(squares / static_cast<double>(row_rms.size())) * unit;
  for (double& rms : row_rms) rms = std::max(rms, common);
}

void OutputFacts::raise_to(double rms) {
  for (double& own : row_rms) own = std::max(own, rms);
  const double elements = static_cast<double>(row) * static_cast<double>(row_rms.size());
  sum_squares = std::max(sum_squares, elements * (rms / unit) * (rms / unit));
}

void widen_all(Dtype dtype, std::span<const std::byte> bytes, std::span<double> to) {
  KE_CHECK(is_float(dtype) && bytes.size() == to.size() * bytes_of(dtype));
  if (dtype == Dtype::float64) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
  } else if (is_half(dtype)) {
    const auto* halves = reinterpret_cast<const std::uint16_t*>(bytes.data());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = double{widened(dtype, halves[i])};
  } else {
    const auto* floats = reinterpret_cast<const float*>(bytes.data());
    std::copy(floats, floats + to.size(), to.begin());
  }
}

std::vector<double> widened_all(Dtype dtype, std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / bytes_of(dtype));
  widen_all(dtype, bytes, values);
  return values;
}

void narrow_all(Dtype dtype, std::span<const float> values, std::byte* to) {
  narrow(dtype, values, to);
}
void narrow_all(Dtype dtype, std::span<const double> values, std::byte* to) {
  narrow(dtype, values, to);
}

Magnitudes magnitudes_of(std::span<const double> values) {
  // Magnitudes sort like their bits, and branch-free integer code vectorises.
  constexpr std::int64_t infinity = 0x7ff0000000000000;
  std::int64_t least = infinity, most = 0;
  for (const double value : values) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(value) & INT64_MAX;
    const std::int64_t low = bits == 0 ? infinity : bits;
    const std::int64_t high = bits >= infinity ? 0 : bits;
    least = low < least ? low : least;
    most = high > most ? high : most;
  }
  if (most == 0) return {};
  return {std::bit_cast<double>(least), std::bit_cast<double>(most)};
}

FreshContent untransformed(std::shared_ptr<const Content> entry) {
  FreshContent fresh;
  const Shapes& shapes = *entry->shapes;
  fresh.rotation.assign(shapes.permuted.size(), 0);
  fresh.input_factors.assign(shapes.inputs, 1);
  fresh.output_factors.assign(shapes.tensors.size() - shapes.inputs, 1);
  fresh.entry = std::move(entry);
  return fresh;
}

void write_inputs(const FreshContent& content, std::span<std::byte* const> destinations) {
  KE_CHECK(destinations.size() == content.shapes().inputs);
  for (std::size_t t = 0; t < destinations.size(); ++t) {
    if (destinations[t] == nullptr) continue;
    const Dtype dtype = content.task().tensors[t].dtype;
    const float factor = content.input_factors[t];
    const auto write = [&](std::int64_t to, std::int64_t from, std::int64_t count) {
      std::byte* target = destinations[t] + byte_of(content, t, to);
      const std::byte* source = content.entry->inputs[t].data() + byte_of(content, t, from);
      if (factor == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(byte_of(content, t, count)));
      } else if (is_half(dtype)) {
        copy_scaled<std::uint16_t>(dtype, target, source, count, factor);
      } else if (dtype == Dtype::float64) {
        copy_scaled<double>(dtype, target, source, count, factor);
      } else {
        copy_scaled<float>(dtype, target, source, count, factor);
      }
    };
    for_each_run(content.shapes().tensors[t], content.rotation, write);
  }
}

std::vector<std::vector<std::byte>> written_inputs(const FreshContent& content) {
  std::vector<std::vector<std::byte>> inputs = content.entry->inputs;
  std::vector<std::byte*> destinations;
  for (auto& input : inputs) destinations.push_back(input.data());
  write_inputs(content, destinations);
  return inputs;
}

bool inputs_intact(const FreshContent& content, std::span<const std::byte* const> inputs) {
  KE_CHECK(inputs.size() == content.shapes().inputs);
  const auto written = written_inputs(content);
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    if (inputs[t] == nullptr) continue;
    if (std::memcmp(inputs[t], written[t].data(), written[t].size()) != 0) return false;
  }
  return true;
}

std::vector<std::vector<double>> expected_outputs(const FreshContent& content) {
  std::vector<std::vector<double>> outputs;
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    const std::vector<double>& source = content.entry->expected[o];
    std::vector<double> values(source.size());
    for_each_run(content.shapes().tensors[content.shapes().inputs + o], content.rotation,
                 [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                   for (std::int64_t i = 0; i < count; ++i) {
                     values[static_cast<std::size_t>(to + i)] =
                         source[static_cast<std::size_t>(from + i)] * content.output_factors[o];
                   }
                 });
    outputs.push_back(std::move(values));
  }
  return outputs;
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
