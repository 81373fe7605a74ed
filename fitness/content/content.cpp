#include "fitness/content/content.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace ke {
namespace {

/// Copies floats times a factor. The product is exact by the choice of factors.
void copy_scaled(float* to, const float* from, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] * factor;
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

bool same_scaled(const float* got, const float* from, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float want = from[i] * factor;
    if (std::memcmp(got + i, &want, sizeof want) != 0) return false;
  }
  return true;
}

constexpr std::int64_t word = 4;  // bytes of an element, whatever its type

}  // namespace

OutputFacts facts_of(std::span<const double> expected, std::int64_t row) {
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
      clean = clean && std::abs(value) < FLT_MAX;
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
        std::byte* target = destinations[t] + word * to;
        const std::byte* source = content.entry->inputs[t].data() + word * from;
        if (content.input_factors[t] == 1) {
          std::memcpy(target, source, static_cast<std::size_t>(word * count));
        } else {
          copy_scaled(reinterpret_cast<float*>(target), reinterpret_cast<const float*>(source),
                      count, content.input_factors[t]);
        }
      });
}

bool inputs_intact(const FreshContent& content, std::span<const std::byte* const> inputs) {
  KE_CHECK(inputs.size() == content.shapes().inputs);
  bool intact = true;
  for_each_input_run(
      content, [&](std::size_t t, std::int64_t to, std::int64_t from, std::int64_t count) {
        if (inputs[t] == nullptr || !intact) return;
        const std::byte* got = inputs[t] + word * to;
        const std::byte* source = content.entry->inputs[t].data() + word * from;
        intact = content.input_factors[t] == 1
                     ? std::memcmp(got, source, static_cast<std::size_t>(word * count)) == 0
                     : same_scaled(reinterpret_cast<const float*>(got),
                                   reinterpret_cast<const float*>(source), count,
                                   content.input_factors[t]);
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
