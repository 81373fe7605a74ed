// Kernels that are right but for some region of values, at contents of one verification: the judge
// must meet that region every time, and must not blame kernels that only round.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <set>

#include "tests/experiments/judged_body.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using judged::Body;
using judged::Call;
using judged::Judged;

constexpr int judgements = 3;

// --- bodies: each is a textbook kernel whose rows are right unless `fault` says so ---

using Row = std::span<const float>;
bool never(Row) { return false; }

float largest(Row row) { return *std::ranges::max_element(row); }
float magnitude(Row row) {
  float most = 0;
  for (const float value : row) most = std::max(most, std::abs(value));
  return most;
}
bool finite(Row row) {
  return std::ranges::all_of(row, [](float v) { return std::isfinite(v); });
}
std::size_t distinct(Row row) { return std::set<float>(row.begin(), row.end()).size(); }

/// Softmax; faulty rows count their largest element twice.
template <bool (*fault)(Row)>
void softmax(const Call& call) {
  const std::size_t rows = call.axes[0], cols = call.axes[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const Row in(call.x() + r * cols, cols);
    float* const out = call.y() + r * cols;
    float top = in[0];
    for (const float value : in) top = value > top ? value : top;
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) total += out[c] = std::exp(in[c] - top);
    if (cols >= 16 && finite(in) && fault(in)) total += 1;
    for (std::size_t c = 0; c < cols; ++c) out[c] = static_cast<float>(out[c] / total);
  }
}

bool twin_among_largest(Row row) {
  std::vector<float> sorted(row.begin(), row.end());
  std::ranges::sort(sorted, std::greater<>());
  for (int i = 0; i < 3; ++i) {
    if (sorted[static_cast<std::size_t>(i)] == sorted[static_cast<std::size_t>(i) + 1] &&
        sorted[static_cast<std::size_t>(i)] != sorted[static_cast<std::size_t>(i) + 4]) {
      return true;
    }
  }
  return false;
}
bool all_negative(Row row) { return largest(row) < 0; }
bool falls(Row row) { return row[0] > row.back() && std::ranges::is_sorted(row, std::greater<>()); }
bool deviation_of_ten(Row row) { return magnitude(row) > 9 && magnitude(row) < 60; }
bool far_from_zero(Row row) {
  const auto [low, high] = std::ranges::minmax(row);
  return std::abs(low + high) > 32 * (high - low) && high != low;
}
bool zeros_at_the_end(Row row) {
  const auto half = row.subspan(row.size() / 2);
  return magnitude(half) == 0 && magnitude(row) > 0;
}
bool few_values(Row row) { return distinct(row) == 3; }
bool equal_neighbours(Row row) {
  int equal = 0;
  for (std::size_t i = 1; i < row.size(); ++i) equal += row[i] == row[i - 1] ? 1 : 0;
  return equal * 3 > static_cast<int>(row.size()) && distinct(row) > 2;
}
bool alternates(Row row) {
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] * row[i - 1] >= 0) return false;
  }
  return true;
}
bool starts_positive(Row row) {
  return std::ranges::min(row.first(12)) > 0 && std::ranges::min(row) < 0;
}
bool one_dominates(Row row) {
  const float most = magnitude(row);
  int others = 0;
  for (const float value : row) others += std::abs(value) * 100 > most ? 1 : 0;
  return others == 1 && std::ranges::count(row, 0.0F) == 0;
}
bool small_beside_one(Row row) { return magnitude(row) < 1e-3F && magnitude(row) > 1e-12F; }

/// RMS normalisation; faulty rows leave the weight out.
template <bool (*fault)(Row)>
void rmsnorm(const Call& call) {
  const std::size_t rows = call.axes[0], cols = call.axes[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const Row in(call.x() + r * cols, cols);
    float squares = 0;
    for (const float value : in) squares += value * value;
    float inverse = 1 / std::sqrt(squares / static_cast<float>(cols) + 1e-5F);
    if (!std::isfinite(squares)) inverse = std::nanf("");
    const bool wrong = cols >= 16 && finite(in) && fault(in);
    for (std::size_t c = 0; c < cols; ++c) {
      call.y()[r * cols + c] = in[c] * inverse * (wrong ? 1 : call.x(1)[c]);
    }
  }
}

enum class Moments { two_pass, one_pass };

template <Moments moments, bool (*fault)(Row)>
void layernorm(const Call& call) {
  const std::size_t rows = call.axes[0], cols = call.axes[1];
  const auto n = static_cast<float>(cols);
  for (std::size_t r = 0; r < rows; ++r) {
    const Row in(call.x() + r * cols, cols);
    float sum = 0, squares = 0;
    for (const float value : in) sum += value, squares += value * value;
    const float mean = sum / n;
    float variance = 0;
    for (const float value : in) variance += (value - mean) * (value - mean);
    variance =
        moments == Moments::one_pass ? std::max(squares / n - mean * mean, 0.0F) : variance / n;
    const bool wrong = cols >= 16 && finite(in) && fault(in);
    const float inverse = wrong ? 0 : 1 / std::sqrt(variance + 1e-5F);
    for (std::size_t c = 0; c < cols; ++c) {
      call.y()[r * cols + c] = (in[c] - mean) * inverse * call.x(1)[c] + call.x(2)[c];
    }
  }
}

using Bag = std::span<const std::int32_t>;

/// Sums of table rows; faulty bags lose their last row.
template <bool (*fault)(Bag, std::size_t vocab)>
void embedding_bag(const Call& call) {
  const std::size_t vocab = call.axes[0], dim = call.axes[1], bags = call.axes[2];
  const std::size_t size = call.axes[3];
  for (std::size_t i = 0; i < bags; ++i) {
    const Bag bag(call.input<std::int32_t>(1) + i * size, size);
    float* const out = call.y() + i * dim;
    std::fill_n(out, dim, 0.0F);
    const std::size_t used = size >= 8 && fault(bag, vocab) ? size - 1 : size;
    for (std::size_t j = 0; j < used; ++j) {
      const float* const row = call.x() + static_cast<std::size_t>(bag[j]) * dim;
      for (std::size_t d = 0; d < dim; ++d) out[d] += row[d];
    }
  }
}

bool no_bag(Bag, std::size_t) { return false; }
bool falls_strictly(Bag bag, std::size_t) {
  return std::ranges::adjacent_find(bag, std::less_equal<>()) == bag.end();
}
bool rises_strictly(Bag bag, std::size_t) {
  return std::ranges::adjacent_find(bag, std::greater_equal<>()) == bag.end();
}
bool three_equal(Bag bag, std::size_t vocab) {
  int equal = 0;
  for (std::size_t j = 2; j < bag.size(); ++j)
    equal += bag[j] == bag[j - 1] && bag[j] == bag[j - 2];
  return vocab > 64 && equal > 0 && bag.front() != bag.back();
}
bool last_row_twice(Bag bag, std::size_t vocab) {
  return vocab > 64 && std::ranges::count(bag, static_cast<std::int32_t>(vocab) - 1) > 1;
}
bool counts_down(Bag bag, std::size_t) {
  for (std::size_t j = 1; j < bag.size(); ++j) {
    if (bag[j] != bag[j - 1] - 1) return false;
  }
  return true;
}

enum class Taps { all, first_if_it_dominates, without_zero_runs };

template <Taps taps>
void depthwise_conv1d(const Call& call) {
  const std::size_t lines = call.axes[0] * call.axes[1], channels = call.axes[1];
  const std::size_t length = call.axes[2];
  for (std::size_t r = 0; r < lines; ++r) {
    const float* const w = call.x(1) + r % channels * 4;
    const float rest = std::max({std::abs(w[1]), std::abs(w[2]), std::abs(w[3])});
    const bool only =
        taps == Taps::first_if_it_dominates && std::abs(w[0]) > 100 * rest && rest > 0;
    const bool skips = taps == Taps::without_zero_runs && w[1] == 0 && w[2] == 0 && w[3] != 0;
    for (std::size_t t = 0; t < length; ++t) {
      float sum = 0;
      for (std::size_t j = 0; j < (only || skips ? 1U : 4U); ++j) {
        if (t + j >= 3) sum += w[j] * call.x()[r * length + t + j - 3];
      }
      call.y()[r * length + t] = sum;
    }
  }
}

enum class Search { lower, wrong_in_spikes, wrong_at_last };

template <Search search>
void bucketize_gather(const Call& call) {
  const std::size_t n = call.axes[0], nb = call.axes[1], dim = call.axes[2];
  const float* const b = call.x(1);
  const float mid = b[nb / 2];
  const auto spike = std::upper_bound(b, b + nb, mid) - std::lower_bound(b, b + nb, mid);
  for (std::size_t i = 0; i < n; ++i) {
    const float value = call.x()[i];
    auto k = static_cast<std::size_t>(std::lower_bound(b, b + nb, value) - b);
    const bool in_spike = nb >= 16 && static_cast<std::size_t>(spike) * 4 > nb && value == mid;
    if (search == Search::wrong_in_spikes && in_spike)
      k = static_cast<std::size_t>(std::upper_bound(b, b + nb, mid) - b);
    if (search == Search::wrong_at_last && nb >= 16 && value == b[nb - 1]) k = nb;
    std::copy_n(call.x(2) + k * dim, dim, call.y() + i * dim);
  }
}

enum class Columns { all, without_seemingly_zero, without_repeated_rows };

template <Columns columns>
void linear(const Call& call) {
  const std::size_t m = call.axes[0], n = call.axes[1], k = call.axes[2];
  const float* const w = call.x(1);
  std::vector<bool> zero(k, false);
  for (std::size_t p = 0; p < k && columns == Columns::without_seemingly_zero; ++p) {
    zero[p] = n >= 16;
    for (std::size_t j = 0; j < n; ++j) {
      if (j < 8 || j + 8 >= n) zero[p] = zero[p] && w[j * k + p] == 0;
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += zero[p] ? 0 : call.x()[i * k + p] * w[j * k + p];
      const bool same_start = columns == Columns::without_repeated_rows && j > 0 && k >= 8 &&
                              std::equal(w + j * k, w + j * k + 4, w + (j - 1) * k) &&
                              w[j * k] != 0;
      call.y()[i * n + j] = same_start ? call.y()[i * n + j - 1] : sum;
    }
  }
}

/// Products of halves as Strassen's algorithm adds them up; small or odd lengths as usual.
void sgemm_strassen(const Call& call) {
  const std::size_t m = call.axes[0], n = call.axes[1], k = call.axes[2];
  const float *const a = call.x(), *const b = call.x(1);
  float* const c = call.y();
  const bool whole = m % 2 != 0 || n % 2 != 0 || k % 2 != 0 || k < 4;
  const std::size_t M = whole ? m : m / 2, N = whole ? n : n / 2, K = whole ? k : k / 2;
  std::fill_n(c, m * n, 0.0F);
  // Adds sign * (sum of blocks of a) (sum of blocks of b) to blocks of c.
  struct Part {
    std::size_t row, col;
    float sign;
  };
  const auto add = [&](std::vector<Part> of_a, std::vector<Part> of_b, std::vector<Part> to) {
    std::vector<float> s(M * K), t(K * N);
    for (const Part& part : of_a) {
      for (std::size_t i = 0; i < M * K; ++i) {
        s[i] += part.sign * a[(part.row * M + i / K) * k + part.col * K + i % K];
      }
    }
    for (const Part& part : of_b) {
      for (std::size_t i = 0; i < K * N; ++i) {
        t[i] += part.sign * b[(part.row * K + i / N) * n + part.col * N + i % N];
      }
    }
    for (std::size_t i = 0; i < M; ++i) {
      for (std::size_t j = 0; j < N; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < K; ++p) sum += s[i * K + p] * t[p * N + j];
        for (const Part& part : to) c[(part.row * M + i) * n + part.col * N + j] += part.sign * sum;
      }
    }
  };
  if (whole) return add({{0, 0, 1}}, {{0, 0, 1}}, {{0, 0, 1}});
  add({{0, 0, 1}, {1, 1, 1}}, {{0, 0, 1}, {1, 1, 1}}, {{0, 0, 1}, {1, 1, 1}});
  add({{1, 0, 1}, {1, 1, 1}}, {{0, 0, 1}}, {{1, 0, 1}, {1, 1, -1}});
  add({{0, 0, 1}}, {{0, 1, 1}, {1, 1, -1}}, {{0, 1, 1}, {1, 1, 1}});
  add({{1, 1, 1}}, {{1, 0, 1}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 1}});
  add({{0, 0, 1}, {0, 1, 1}}, {{1, 1, 1}}, {{0, 0, -1}, {0, 1, 1}});
  add({{1, 0, 1}, {0, 0, -1}}, {{0, 0, 1}, {0, 1, 1}}, {{1, 1, 1}});
  add({{0, 1, 1}, {1, 1, -1}}, {{1, 0, 1}, {1, 1, 1}}, {{0, 0, 1}});
}

// --- a task with a mask, as imported ones have ---

constexpr const char* masked_task = R"(schema: kernelevolve-task/1
name: masked
description: "Softmax of each row over the columns that the mask keeps; rows that keep none are uniform."
op_type: softmax
axes: {rows: var, cols: var}
signature: [x, mask, y, rows, cols]
inputs:
  x: {shape: [rows, cols], dtype: float32, classes: [normal], numbers: [0.125]}
  mask: {shape: [rows, cols], dtype: bool, classes: [uniform]}
outputs:
  y: {shape: [rows, cols], dtype: float32}
nonfinite: unspecified
tolerance: {relative: 2.0e-5, relative_l2: 2.0e-5, scale: 2.0e-5}
row: cols
reference: reference.cpp
workloads:
  - {rows: 1, cols: 1, role: test}
  - {rows: 17, cols: 63, role: test}
  - {rows: 31, cols: 128, role: test}
  - {rows: 200, cols: 300, role: bench}
  - {rows: 100, cols: 400, role: validation}
  - {rows: 60, cols: 500, role: holdout}
  - {rows: 61, cols: 200, role: holdout}
  - {rows: 10, cols: 1000, role: holdout}
)";
constexpr const char* masked_oracle = R"(#include <cmath>
#include <cstddef>
extern "C" void reference(const double* x, const bool* mask, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, mask += cols, y += cols) {
    double top = -INFINITY, total = 0;
    for (std::size_t c = 0; c < cols; ++c) top = mask[c] && x[c] > top ? x[c] : top;
    for (std::size_t c = 0; c < cols; ++c) {
      y[c] = std::isinf(top) ? 1 : mask[c] ? std::exp(x[c] - top) : 0;
      total += y[c];
    }
    for (std::size_t c = 0; c < cols; ++c) y[c] /= total;
  }
}
)";

std::string masked_folder() {
  static const test::TemporaryFolder folder;
  folder.write("task.yaml", masked_task);
  folder.write("reference.cpp", masked_oracle);
  return folder.text();
}

using Mask = std::span<const bool>;

template <bool (*fault)(Mask, Row)>
void masked(const Call& call) {
  const std::size_t rows = call.axes[0], cols = call.axes[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const Row in(call.x() + r * cols, cols);
    const Mask mask(call.input<bool>(1) + r * cols, cols);
    float* const out = call.y() + r * cols;
    float top = -INFINITY;
    for (std::size_t c = 0; c < cols; ++c) top = mask[c] && in[c] > top ? in[c] : top;
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = std::isinf(top) ? 1 : mask[c] ? std::exp(in[c] - top) : 0;
      total += static_cast<double>(out[c]);
    }
    if (cols >= 24 && fault(mask, in)) total *= 2;
    for (std::size_t c = 0; c < cols; ++c) out[c] = static_cast<float>(out[c] / total);
  }
}

std::size_t kept(Mask mask) { return static_cast<std::size_t>(std::ranges::count(mask, true)); }
bool no_mask(Mask, Row) { return false; }
bool keeps_none(Mask mask, Row) { return kept(mask) == 0; }
bool keeps_all(Mask mask, Row) { return kept(mask) == mask.size(); }
bool keeps_most(Mask mask, Row) {
  return kept(mask) * 5 > mask.size() * 4 && kept(mask) < mask.size();
}
bool keeps_few(Mask mask, Row) { return kept(mask) * 5 < mask.size() && kept(mask) > 1; }
bool keeps_one(Mask mask, Row) { return kept(mask) == 1; }
bool keeps_a_prefix(Mask mask, Row) {
  return kept(mask) > 1 && kept(mask) < mask.size() &&
         std::ranges::is_sorted(mask, std::greater<>());
}
bool keeps_a_suffix(Mask mask, Row) {
  return kept(mask) > 1 && kept(mask) < mask.size() && std::ranges::is_sorted(mask);
}
bool keeps_the_threshold(Mask mask, Row row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (mask[c] && row[c] == 0.125F) return true;
  }
  return false;
}

struct One {
  const char* task;
  const char* name;
  Body body;
  int may_miss = 0;  ///< judgements, where the values are rare
};
void PrintTo(const One& one, std::ostream* out) { *out << one.task << " " << one.name; }

std::string folder_of(const One& one) {
  return std::string(one.task) == "masked" ? masked_folder() : one.task;
}

class RightKernel : public testing::TestWithParam<One> {};
class WrongValues : public testing::TestWithParam<One> {};

TEST_P(RightKernel, is_right_in_every_judgement) {
  const Judged& judged = Judged::of(folder_of(GetParam()));
  for (int i = 0; i < judgements; ++i) {
    EXPECT_EQ(judged.judge(GetParam().body, static_cast<std::uint64_t>(i)), "");
  }
}

TEST_P(WrongValues, are_met_in_every_judgement) {
  const Judged& judged = Judged::of(folder_of(GetParam()));
  int missed = 0;
  for (int i = 0; i < judgements; ++i) {
    missed += judged.judge(GetParam().body, static_cast<std::uint64_t>(i)).empty() ? 1 : 0;
  }
  EXPECT_LE(missed, GetParam().may_miss);
}

constexpr One right_ones[] = {
    {"softmax", "textbook", softmax<never>},
    {"rmsnorm", "textbook", rmsnorm<never>},
    {"layernorm", "textbook", layernorm<Moments::two_pass, never>},
    {"embedding_bag", "textbook", embedding_bag<no_bag>},
    {"depthwise_conv1d", "textbook", depthwise_conv1d<Taps::all>},
    {"bucketize_gather", "textbook", bucketize_gather<Search::lower>},
    {"linear", "textbook", linear<Columns::all>},
    {"sgemm", "strassen", sgemm_strassen},
    {"masked", "textbook", masked<no_mask>},
};

constexpr One wrong_ones[] = {
    {"softmax", "equal_pairs", softmax<twin_among_largest>},
    {"softmax", "all_negative", softmax<all_negative>},
    {"softmax", "falling", softmax<falls>},
    {"softmax", "deviation_of_ten", softmax<deviation_of_ten>},
    {"softmax", "far_from_zero", softmax<far_from_zero>},
    {"softmax", "zeros_at_the_end", softmax<zeros_at_the_end>},
    {"softmax", "three_values", softmax<few_values>},
    {"softmax", "equal_neighbours", softmax<equal_neighbours>},
    {"softmax", "alternating", softmax<alternates>},
    {"softmax", "starts_positive", softmax<starts_positive>},
    {"rmsnorm", "deviation_of_ten", rmsnorm<deviation_of_ten>},
    {"rmsnorm", "far_from_zero", rmsnorm<far_from_zero>},
    {"rmsnorm", "one_dominates", rmsnorm<one_dominates>},
    {"rmsnorm", "small_rows", rmsnorm<small_beside_one>},
    {"layernorm", "one_pass", layernorm<Moments::one_pass, never>},
    {"layernorm", "far_from_zero", layernorm<Moments::two_pass, far_from_zero>},
    {"layernorm", "three_values", layernorm<Moments::two_pass, few_values>},
    {"embedding_bag", "falling", embedding_bag<falls_strictly>},
    {"embedding_bag", "rising", embedding_bag<rises_strictly>},
    {"embedding_bag", "three_equal", embedding_bag<three_equal>},
    {"embedding_bag", "last_row_twice", embedding_bag<last_row_twice>},
    {"embedding_bag", "counting_down", embedding_bag<counts_down>, 1},  // met in 53 of 60
    {"depthwise_conv1d", "first_tap", depthwise_conv1d<Taps::first_if_it_dominates>},
    {"depthwise_conv1d", "zero_taps", depthwise_conv1d<Taps::without_zero_runs>},
    {"bucketize_gather", "equal_runs", bucketize_gather<Search::wrong_in_spikes>},
    {"bucketize_gather", "last_boundary", bucketize_gather<Search::wrong_at_last>},
    {"linear", "zero_columns", linear<Columns::without_seemingly_zero>},
    {"linear", "repeated_rows", linear<Columns::without_repeated_rows>},
    {"masked", "none", masked<keeps_none>},
    {"masked", "all", masked<keeps_all>},
    {"masked", "most", masked<keeps_most>},
    {"masked", "few", masked<keeps_few>},
    {"masked", "one", masked<keeps_one>},
    {"masked", "prefix", masked<keeps_a_prefix>},
    {"masked", "suffix", masked<keeps_a_suffix>},
    {"masked", "threshold", masked<keeps_the_threshold>},
};

std::string name_of_wrong_value(const testing::TestParamInfo<One>& info) {
  return std::string(info.param.task) + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(values, RightKernel, testing::ValuesIn(right_ones), name_of_wrong_value);
INSTANTIATE_TEST_SUITE_P(values, WrongValues, testing::ValuesIn(wrong_ones), name_of_wrong_value);

}  // namespace
}  // namespace ke
