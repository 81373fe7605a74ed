#include "fitness/content/admit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "fitness/content/compare.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/generate.hpp"
#include "fitness/timing/clock.hpp"

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

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Integers, which have no NaN, get the bits of one.
void fill(Dtype dtype, double value, Bytes& output) {
  const std::size_t count = output.size() / bytes_of(dtype);
  if (is_float(dtype)) {
    narrow_all(dtype, std::vector<double>(count, value), output.data());
    return;
  }
  const DtypeRow& row = row_of(dtype);
  const auto nearest = [&] {
    const double inside =
        std::clamp(value, static_cast<double>(row.least), static_cast<double>(row.most));
    return inside >= 0x1p63 ? row.most : std::llround(inside);
  };
  const std::int64_t integer = std::isnan(value) ? 0x7fc00000 : nearest();
  for (std::size_t i = 0; i < count; ++i) put_int(dtype, output.data(), i, integer);
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

/// The input's bytes, truncated or padded with zeros.
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
      outputs.emplace_back(content.entry->expected[o].size() *
                           bytes_of(output_of(content, o).dtype));
      trivial(content, o, outputs.back());
    }
    return !compare(content, pointers(outputs));
  });
}

constexpr std::int64_t quick_check_ns = 20'000'000;

bool is_finite(double value) { return std::isfinite(value); }

bool has_finite_inputs(const Task& task, const Content& content) {
  for (std::size_t t = 0; t < content.inputs.size(); ++t) {
    if (!is_float(task.tensors[t].dtype)) continue;
    if (!std::ranges::all_of(widened_all(task.tensors[t].dtype, content.inputs[t]), is_finite)) {
      return false;
    }
  }
  return true;
}

/// Names the place of a non-finite expected output; "" where all are finite.
std::string nonfinite_output(const Task& task, const Content& content) {
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    const auto bad = std::ranges::find_if_not(content.expected[o], is_finite);
    if (bad == content.expected[o].end()) continue;
    const std::size_t t = content.inputs.size() + o;
    return fmt::format("{} in output '{}' (shape [{}])", *bad, task.tensors[t].name,
                       fmt::join(content.shapes->tensors[t].dims, ", "));
  }
  return {};
}

}  // namespace

Result<std::optional<std::string>> reference_refusal(const Task& task, const Reference& reference) {
  KE_TRY(SecretRandom random, SecretRandom::from_system());
  for (const Workload& workload : task.workloads) {
    const std::int64_t begin = now_ns();
    for (std::size_t c = 0; c < ContentPool::cases(task); ++c) {
      if (c == 1 && now_ns() - begin > quick_check_ns) break;
      const PoolOptions options{.entries = 1, .cases = {c}};
      KE_TRY(const auto pool, ContentPool::create(task, workload, reference, random, options));
      const Content& content = *pool.entries().front();
      const std::string where = nonfinite_output(task, content);
      if (where.empty() || !has_finite_inputs(task, content)) continue;
      return std::optional(fmt::format(
          "{}: answers {} at workload '{}', though its inputs ({}) hold neither NaN nor infinity",
          task.reference_file, where, workload.label, content.label));
    }
  }
  return std::optional<std::string>();
}

std::vector<std::string> trivial_survivors(const Task& task,
                                           std::span<const FreshContent> contents) {
  KE_CHECK(!contents.empty());
  SecretRandom random({1, 2, 3, 4});  // the poison for a kernel that does nothing needs no secret
  std::vector<std::pair<std::string, Trivial>> list;
  const auto filled = [](const auto& value_of) {
    return [value_of](const FreshContent& content, std::size_t output, Bytes& bytes) {
      fill(output_of(content, output).dtype, value_of(output), bytes);
    };
  };
  list.emplace_back("zeros", filled([](std::size_t) { return 0.0; }));
  list.emplace_back("nan", filled([](std::size_t) { return not_a_number; }));
  list.emplace_back("constant",
                    filled([&](std::size_t output) { return mean_of(contents, output); }));
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
