#include "fitness/content/admit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "fitness/content/compare.hpp"
#include "fitness/content/generate.hpp"

namespace ke {
namespace {

using Bytes = std::vector<std::byte>;
/// Writes one output of a content.
using Trivial = std::function<void(const FreshContent&, std::size_t output, Bytes&)>;

std::vector<const std::byte*> pointers(const std::vector<Bytes>& outputs) {
  std::vector<const std::byte*> list;
  for (const Bytes& output : outputs) list.push_back(output.data());
  return list;
}

void fill_words(Bytes& output, std::uint32_t word) {
  for (std::size_t at = 0; at < output.size(); at += sizeof word) {
    std::memcpy(output.data() + at, &word, sizeof word);
  }
}

std::uint32_t word_of(Dtype dtype, double value) {
  std::uint32_t word;
  const auto real = static_cast<float>(value);
  const auto integer = static_cast<std::int32_t>(std::lround(value));
  std::memcpy(&word, dtype == Dtype::int32 ? static_cast<const void*>(&integer) : &real,
              sizeof word);
  return word;
}

const TensorSpec& output_of(const FreshContent& content, std::size_t output) {
  return content.task().tensors[content.shapes().inputs + output];
}

/// Mean of the expected values of one output over all contents: the best guess without looking.
double mean_of(std::span<const FreshContent> contents, std::size_t output) {
  double sum = 0;
  double count = 0;
  for (const FreshContent& content : contents) {
    for (const double value : content.entry->expected[output]) {
      if (!std::isfinite(value)) continue;
      sum += value * content.output_factors[output];
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

/// The input's bytes, cut or followed by zeros.
void write_identity(const FreshContent& content, std::size_t input, Bytes& bytes) {
  std::vector<Bytes> inputs;
  std::vector<std::byte*> destinations;
  for (const Bytes& source : content.entry->inputs) inputs.emplace_back(source.size());
  for (Bytes& target : inputs) destinations.push_back(target.data());
  write_inputs(content, destinations);
  inputs[input].resize(bytes.size());
  bytes = std::move(inputs[input]);
}

bool passes_all(const Trivial& trivial, std::span<const FreshContent> contents) {
  return std::all_of(contents.begin(), contents.end(), [&](const FreshContent& content) {
    std::vector<Bytes> outputs;
    for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
      outputs.emplace_back(content.entry->expected[o].size() * 4);
      trivial(content, o, outputs.back());
    }
    return !compare(content, pointers(outputs));
  });
}

}  // namespace

std::vector<std::string> trivial_survivors(const Task& task,
                                           std::span<const FreshContent> contents) {
  KE_CHECK(!contents.empty());
  SecretRandom random({1, 2, 3, 4});  // poison of a kernel that does nothing needs no secret
  std::vector<std::pair<std::string, Trivial>> list;
  list.emplace_back("zeros", [](const auto&, std::size_t, Bytes& bytes) { fill_words(bytes, 0); });
  list.emplace_back("nan",
                    [](const auto&, std::size_t, Bytes& bytes) { fill_words(bytes, 0x7fc00000); });
  list.emplace_back("constant", [&](const FreshContent& content, std::size_t output, Bytes& bytes) {
    fill_words(bytes, word_of(output_of(content, output).dtype, mean_of(contents, output)));
  });
  list.emplace_back("noop", [&](const FreshContent& content, std::size_t output, Bytes& bytes) {
    poison(output_of(content, output).dtype, random, bytes);
  });
  for (std::size_t t = 0; t < contents.front().shapes().inputs; ++t) {
    list.emplace_back("identity of " + task.tensors[t].name,
                      [t](const FreshContent& content, std::size_t, Bytes& bytes) {
                        write_identity(content, t, bytes);
                      });
  }
  std::vector<std::string> survivors;
  for (const auto& [name, trivial] : list) {
    if (passes_all(trivial, contents)) survivors.push_back(name);
  }
  return survivors;
}

double naive_margin(std::span<const NaiveOutputs> runs) {
  double worst = 0;
  for (const NaiveOutputs& run : runs) {
    worst = std::max(worst, worst_ratio(run.content, pointers(run.outputs)));
  }
  return worst;
}

std::optional<std::string> tolerance_refusal(std::span<const NaiveOutputs> runs) {
  const double worst = naive_margin(runs);
  if (worst <= admitted_ratio) return std::nullopt;
  return fmt::format("the naive kernel uses {:.3g} of the tolerance, at most {} is admitted: {}",
                     worst, admitted_ratio, worst > 1 ? "it is wrong" : "widen the tolerance");
}

}  // namespace ke
