#include "fitness/content/content.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ke {
namespace {

/// An element times a factor. The product is exact by the choice of factors.
float scaled_element(Dtype, float value, float factor) { return value * factor; }
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
bool same_scaled(Dtype dtype, const std::byte* got, const std::byte* from, std::int64_t count,
                 float factor) {
  const auto* source = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < count; ++i) {
    const T want = scaled_element(dtype, source[i], factor);
    if (std::memcmp(got + static_cast<std::size_t>(i) * sizeof want, &want, sizeof want) != 0)
      return false;
  }
  return true;
}

/// Calls `visit(input, to, from, count)` for the runs of every input; offsets in elements.
template <typename Visit>
void for_each_input_run(const FreshContent& content, Visit visit) {
  for (std::size_t t = 0; t < content.shapes().inputs; ++t) {
    for_each_run(
        content.shapes().tensors[t], content.rotation,
        [&](std::int64_t to, std::int64_t from, std::int64_t count) { visit(t, to, from, count); });
  }
}

/// Where element `index` of input `t` lies.
std::int64_t byte_of(const FreshContent& content, std::size_t t, std::int64_t index) {
  return static_cast<std::int64_t>(bytes_of(content.task().tensors[t].dtype)) * index;
}

}  // namespace

OutputFacts facts_of(std::span<const double> expected, std::int64_t row, Dtype dtype) {
  const double beyond = format_of(dtype).largest;
  OutputFacts facts;
  facts.row = row;
  facts.rounded.reserve(expected.size());
  for (const double value : expected) facts.rounded.push_back(static_cast<float>(value));
  const auto length = static_cast<std::size_t>(row);
  for (std::size_t at = 0; at < expected.size(); at += length) {
    double sum = 0;
    std::size_t finite = 0;
    bool clean = true;
    const auto line = expected.subspan(at, std::min(length, expected.size() - at));
    for (const double value : line) {
      clean = clean && std::abs(value) < beyond;
      if (!std::isfinite(value)) continue;
      sum += value * value;
      facts.largest = std::max(facts.largest, std::abs(value));
      ++finite;
    }
    facts.row_rms.push_back(finite == 0 ? 0 : std::sqrt(sum / static_cast<double>(finite)));
    facts.clean.push_back(clean);
    if (clean) facts.sum_squares += sum;
  }
  return facts;
}

void OutputFacts::raise_to_common_rms() {
  double squares = 0;
  for (const double rms : row_rms) squares += rms * rms;
  const double common = std::sqrt(squares / static_cast<double>(row_rms.size()));
  for (double& rms : row_rms) rms = std::max(rms, common);
}

std::vector<float> widened_all(Dtype dtype, std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / bytes_of(dtype));
  if (!is_half(dtype)) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const auto* halves = reinterpret_cast<const std::uint16_t*>(bytes.data());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = widened(dtype, halves[i]);
  return values;
}

void narrow_all(Dtype dtype, std::span<const float> values, std::byte* to) {
  if (!is_half(dtype)) {
    std::memcpy(to, values.data(), values.size_bytes());
    return;
  }
  auto* halves = reinterpret_cast<std::uint16_t*>(to);
  for (std::size_t i = 0; i < values.size(); ++i) halves[i] = narrowed(dtype, values[i]);
}

Magnitudes magnitudes_of(std::span<const float> values) {
  // Magnitudes order as their bits do, and integers without branches become vector code.
  constexpr std::int32_t infinity = 0x7f800000;
  std::int32_t least = infinity, most = 0;
  for (const float value : values) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(value) & 0x7fffffff;
    const std::int32_t low = bits == 0 ? infinity : bits;
    const std::int32_t high = bits >= infinity ? 0 : bits;
    least = low < least ? low : least;
    most = high > most ? high : most;
  }
  if (most == 0) return {};
  return {std::bit_cast<float>(least), std::bit_cast<float>(most)};
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
  for_each_input_run(
      content, [&](std::size_t t, std::int64_t to, std::int64_t from, std::int64_t count) {
        if (destinations[t] == nullptr) return;
        const Dtype dtype = content.task().tensors[t].dtype;
        const float factor = content.input_factors[t];
        std::byte* target = destinations[t] + byte_of(content, t, to);
        const std::byte* source = content.entry->inputs[t].data() + byte_of(content, t, from);
        if (factor == 1) {
          std::memcpy(target, source, static_cast<std::size_t>(byte_of(content, t, count)));
        } else if (is_half(dtype)) {
          copy_scaled<std::uint16_t>(dtype, target, source, count, factor);
        } else {
          copy_scaled<float>(dtype, target, source, count, factor);
        }
      });
}

bool inputs_intact(const FreshContent& content, std::span<const std::byte* const> inputs) {
  KE_CHECK(inputs.size() == content.shapes().inputs);
  bool intact = true;
  for_each_input_run(
      content, [&](std::size_t t, std::int64_t to, std::int64_t from, std::int64_t count) {
        if (inputs[t] == nullptr || !intact) return;
        const Dtype dtype = content.task().tensors[t].dtype;
        const float factor = content.input_factors[t];
        const std::byte* got = inputs[t] + byte_of(content, t, to);
        const std::byte* source = content.entry->inputs[t].data() + byte_of(content, t, from);
        if (factor == 1) {
          const auto size = static_cast<std::size_t>(byte_of(content, t, count));
          intact = std::memcmp(got, source, size) == 0;
        } else if (is_half(dtype)) {
          intact = same_scaled<std::uint16_t>(dtype, got, source, count, factor);
        } else {
          intact = same_scaled<float>(dtype, got, source, count, factor);
        }
      });
  return intact;
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

}  // namespace ke
