#include "fitness/content/admit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>

#include "fitness/content/compare.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/unlisted.hpp"
#include "fitness/host/python_home.hpp"
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

constexpr std::ptrdiff_t constant_answer = 2;  // in trivial_answers()
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

/// Mean of the finite expected values of one output: the best guess without looking.
double mean_of(const FreshContent& content, std::size_t output) {
  double sum = 0;
  double count = 0;
  for (const double value : content.entry->expected[output]) {
    if (!std::isfinite(value)) continue;
    sum += value * content.output_factors[output];
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

/// The input's bytes, truncated or padded with zeros.
void write_identity(const FreshContent& content, std::size_t input, Bytes& bytes) {
  std::vector<Bytes> inputs = written_inputs(content);
  inputs[input].resize(bytes.size());
  bytes = std::move(inputs[input]);
}

bool is_right(const Trivial& trivial, const FreshContent& content) {
  std::vector<Bytes> outputs;
  for (std::size_t o = 0; o < content.entry->expected.size(); ++o) {
    outputs.emplace_back(content.entry->expected[o].size() * bytes_of(output_of(content, o).dtype));
    trivial(content, o, outputs.back());
  }
  return worst_ratio(content, pointers(outputs)) <= 1;
}

constexpr std::int64_t quick_check_ns = 20'000'000;
constexpr std::int64_t slim_elements = std::int64_t{1} << 20;
constexpr std::int64_t most_elements_here = std::int64_t{1} << 28;

/// Whether a reference in Python computes a shape on the GPU that judges its kernels, not here.
bool is_left_to_gpu(const Task& task, const Workload& workload) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 24;
  constexpr std::int64_t most_flops = std::int64_t{1} << 33;
  if (task.language == "cpp" || !is_python(task.reference_file)) return false;
  const auto flops = task.value(task.flops, workload);
  return elements_of(task, workload) > most_elements || (flops && *flops > most_flops);
}

bool is_finite(double value) { return std::isfinite(value); }

/// An infinity is an answer like others where the task says that kernels must give it.
bool is_answer(const Task& task, double value) {
  return is_finite(value) || (std::isinf(value) && task.nonfinite == Nonfinite::propagate);
}

bool have_all_inputs(const Task& task, const Content& content, bool (*property)(double)) {
  for (std::size_t t = 0; t < content.inputs.size(); ++t) {
    if (!is_float(task.tensors[t].dtype)) continue;
    if (!std::ranges::all_of(widened_all(task.tensors[t].dtype, content.inputs[t]), property)) {
      return false;
    }
  }
  return true;
}

/// Masks hold -inf, and only inputs of a class for non-finite values hold more than that.
bool is_ordinary(double value) { return !std::isnan(value) && value != HUGE_VAL; }

/// Names the place of an expected output that is no answer; "" where there is none.
std::string nonfinite_output(const Task& task, const Content& content) {
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    const auto bad = std::ranges::find_if_not(content.expected[o],
                                              [&](double value) { return is_answer(task, value); });
    if (bad == content.expected[o].end()) continue;
    const std::size_t t = content.inputs.size() + o;
    return fmt::format("{} in output '{}' (shape [{}])", *bad, task.tensors[t].name,
                       fmt::join(content.shapes->tensors[t].dims, ", "));
  }
  return {};
}

}  // namespace

std::vector<TrivialAnswer> trivial_answers(const Task& task) {
  std::vector<TrivialAnswer> answers = {{"zeros"}, {"nan"}, {"constant"}, {"noop"}};
  for (const TensorSpec& tensor : task.tensors) {
    if (!tensor.output) answers.push_back({"identity of " + tensor.name});
  }
  return answers;
}

void refute(std::vector<TrivialAnswer>& answers, std::span<const FreshContent> contents) {
  if (contents.empty()) return;
  SecretRandom random({1, 2, 3, 4});  // the poison for a kernel that does nothing needs no secret
  const FreshContent& first = contents.front();
  const auto filled = [](const auto& value_of) {
    return [value_of](const FreshContent& content, std::size_t output, Bytes& bytes) {
      fill(output_of(content, output).dtype, value_of(output), bytes);
    };
  };
  std::vector<Trivial> list = {filled([](std::size_t) { return 0.0; }),
                               filled([](std::size_t) { return not_a_number; }),
                               filled([&](std::size_t output) { return mean_of(first, output); }),
                               [&](const FreshContent& content, std::size_t output, Bytes& bytes) {
                                 poison(output_of(content, output).dtype, random, bytes);
                               }};
  for (std::size_t t = 0; t < first.shapes().inputs; ++t) {
    list.emplace_back([t](const FreshContent& content, std::size_t, Bytes& bytes) {
      write_identity(content, t, bytes);
    });
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const FreshContent& content : contents.subspan(i == constant_answer ? 1 : 0)) {
      if (!answers[i].refuted_by.empty()) break;
      if (!is_right(list[i], content)) answers[i].refuted_by = content.entry->label;
    }
  }
}

namespace {

/// A mask may leave nothing to a row, whose answer is then NaN, as of softmax in PyTorch. Such
/// elements are not compared where the task says nothing of NaN.
bool may_mask_all(const Task& task) {
  return task.nonfinite == Nonfinite::unspecified &&
         std::ranges::any_of(task.tensors, [](const TensorSpec& tensor) {
           return !tensor.output && tensor.dtype == Dtype::boolean;
         });
}

bool all_refuted(const std::vector<TrivialAnswer>& answers) {
  return std::ranges::none_of(answers, [](const auto& one) { return one.refuted_by.empty(); });
}

/// Calls the reference at one workload. Adds to the findings; returns how many contents it tried.
Result<std::size_t> examine_at(const Task& task, const Workload& workload,
                               const Reference& reference, SecretRandom& random,
                               ReferenceFindings& findings) {
  const std::int64_t begin = now_ns();
  std::vector<FreshContent> contents;
  for (std::size_t c = 0; c < ContentPool::cases(task); ++c) {
    if (c == 1 && now_ns() - begin > quick_check_ns) break;
    const PoolOptions options{.entries = 1, .cases = {c}};
    KE_TRY(const auto pool, ContentPool::create(task, workload, reference, random, options));
    const Content& content = *pool.entries().front();
    if (have_all_inputs(task, content, is_ordinary)) {
      contents.push_back(untransformed(pool.entries().front()));
    }
    const std::string where = nonfinite_output(task, content);
    if (where.empty() || may_mask_all(task)) continue;
    if (!have_all_inputs(task, content, is_finite)) continue;
    findings.refusal = fmt::format(
        "{}: answers {} at workload '{}', though its inputs ({}) hold neither NaN nor infinity",
        task.reference_file, where, workload.label, content.label);
    return std::size_t{0};
  }
  refute(findings.trivial, contents);
  return contents.size();
}

}  // namespace

Result<ReferenceFindings> examine_reference(const Task& task, const Reference& reference) {
  KE_TRY(SecretRandom random, SecretRandom::from_system());
  ReferenceFindings findings{.trivial = trivial_answers(task)};
  std::vector<Workload> wanted, left;
  for (const Workload& one : task.workloads)
    (is_left_to_gpu(task, one) ? left : wanted).push_back(one);
  if (!left.empty())
    std::ranges::move(slim_workloads(task, slim_elements, random), std::back_inserter(wanted));
  // Small shapes may all have one answer. Then the large ones that fit are called here after all.
  const std::size_t usual = wanted.size();
  std::ranges::copy_if(left, std::back_inserter(wanted), [&](const Workload& one) {
    return elements_of(task, one) <= most_elements_here;
  });
  bool tried_constant = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i >= usual && all_refuted(findings.trivial)) break;
    KE_TRY(const std::size_t tried, examine_at(task, wanted[i], reference, random, findings));
    if (findings.refusal) return findings;
    tried_constant |= tried > 1;
  }
  reference.leave();
  if (!tried_constant) findings.trivial.erase(findings.trivial.begin() + constant_answer);
  return findings;
}

}  // namespace ke
