#include "fitness/content/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "fitness/content/compare_rule.hpp"
#include "fitness/content/quick_accept.hpp"
#include "fitness/content/rounding_room.hpp"

namespace ke {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kept_indices = 4096;  // enough to recognise a pattern
constexpr std::size_t quoted = 5;
const std::vector<std::vector<double>> no_room;

/// A CompareRule together with the output that it applies to.
struct Rule : CompareRule {
  Rule(const FreshContent& content, std::size_t output)
      : CompareRule(compare_rule(content, output)),
        want(content.entry->expected[output].data()),
        facts(&content.entry->facts[output]) {}
  const double* want;
  const OutputFacts* facts;
  const std::vector<double>* room = nullptr;  ///< per row; see rounding_room

  /// Admits errors of up to `more` in each row too.
  void widen(const std::vector<double>& more) {
    room = &more;
    for (const double error : more)
      allowed_squares += static_cast<double>(facts->row) * square(error);
  }
  double allowed_in(std::size_t row) const {
    return allowed(facts->row_rms[row]) + (room == nullptr ? 0 : (*room)[row]);
  }
  double relative_and_rounding() const { return relative + rounding; }
  /// Whether no element of the row that is within its tolerance can exceed max_error.
  bool implies_max_error(std::size_t row) const {
    return relative * facts->largest + allowed_in(row) <= max_error;
  }
  /// A squared error, in units of the facts.
  double square(double error) const { return (error / facts->unit) * (error / facts->unit); }
};

// Two vectors of the baseline instruction set make four lanes; the compiler splits wider types.
typedef double Lanes __attribute__((vector_size(16)));
template <typename T>
using Loaded [[gnu::vector_size(2 * sizeof(T))]] = T;
typedef std::int64_t Mask __attribute__((vector_size(16)));

template <typename Vector, typename T>
inline Vector load(const T* from) {
  Vector lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// One part of a clean row: true when every element is within its tolerance; NaN never is. Adds to
/// the squared error.
template <typename T>
bool part_right(const Rule& rule, const T* got, const double* want, std::int64_t count,
                double allowed, double& squares) {
  const double inverse = rule.inverse, relative = rule.relative_and_rounding();
  const double to_units = 1 / rule.facts->unit;
  constexpr std::int64_t step = 4;
  const Mask magnitude = {INT64_MAX, INT64_MAX};
  Mask right[2] = {{-1, -1}, {-1, -1}};
  Lanes sums[2] = {{0, 0}, {0, 0}};
  std::int64_t i = 0;
  for (; i + step <= count; i += step) {
    for (int half = 0; half < 2; ++half) {
      const Lanes value = __builtin_convertvector(load<Loaded<T>>(got + i + 2 * half), Lanes);
      const Lanes expected = load<Lanes>(want + i + 2 * half);
      const Lanes error = value * inverse - expected;
      const Lanes limit = (Lanes)((Mask)expected & magnitude) * relative + allowed;
      right[half] &= (Mask)((Lanes)((Mask)error & magnitude) <= limit);
      sums[half] += (error * to_units) * (error * to_units);
    }
  }
  bool all = (right[0][0] & right[0][1] & right[1][0] & right[1][1]) != 0;
  for (; i < count; ++i) {
    const double error = static_cast<double>(got[i]) * inverse - want[i];
    all = all && std::abs(error) <= std::abs(want[i]) * relative + allowed;
    sums[0][0] += (error * to_units) * (error * to_units);
  }
  squares += (sums[0][0] + sums[0][1]) + (sums[1][0] + sums[1][1]);
  return all;
}

/// Error beyond the rounding into the output's type, which consumes no tolerance.
double error_of(const Rule& rule, double got, double want) {
  return std::abs(got - want) - rule.rounding * std::abs(want);
}

/// Error used / allowed of one element: at most 1 when right. `got` is in the entry's scale.
double element_ratio(const Rule& rule, double got, double want, double allowed) {
  if (!std::isfinite(want)) {
    if (rule.skips_nonfinite) return 0;
    const bool same = (std::isnan(want) && std::isnan(got)) || got == want;
    return same ? 0 : infinity;
  }
  if (std::abs(want) >= rule.overflow && std::isinf(got) && (got > 0) == (want > 0)) return 0;
  const double error = error_of(rule, got, want);
  if (error <= 0) return 0;
  const double ratio = error / std::min(std::abs(want) * rule.relative + allowed, rule.max_error);
  return std::isnan(ratio) ? infinity : ratio;
}

/// Calls `visit(to, from, count, row)` for parts of one run that lie in one row of the entry.
template <typename Visit>
void for_each_row_part(std::int64_t to, std::int64_t from, std::int64_t count, std::int64_t row,
                       Visit visit) {
  std::int64_t index = from / row;
  for (std::int64_t room = (index + 1) * row - from; count > 0; room = row, ++index) {
    const std::int64_t part = std::min(room, count);
    visit(to, from, part, static_cast<std::size_t>(index));
    to += part;
    from += part;
    count -= part;
  }
}

const TensorShape& shape_of(const FreshContent& content, std::size_t output) {
  return content.shapes().tensors[content.shapes().inputs + output];
}

/// Selects the blocks of an output to look at.
class Spots {
 public:
  Spots() = default;  ///< all blocks
  Spots(std::uint64_t key, const TensorShape& shape)
      : key_(key), all_(shape.elements <= whole_elements) {}

  /// Calls `visit(to, from, count)` for the parts of a run that lie in chosen blocks.
  template <typename Visit>
  void of_run(std::int64_t to, std::int64_t from, std::int64_t count, Visit visit) const {
    if (all_) return visit(to, from, count);
    while (count > 0) {
      const std::int64_t part = std::min(count, block - to % block);
      if (chosen(to / block)) visit(to, from, part);
      to += part;
      from += part;
      count -= part;
    }
  }

 private:
  static constexpr std::int64_t block = 1024;  // elements
  static constexpr std::int64_t whole_elements = 16 * block;

  bool chosen(std::int64_t index) const {  // the finaliser of splitmix64; uses two of its bits
    std::uint64_t bits = (key_ ^ static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits >> 62 == 0;
  }

  std::uint64_t key_ = 0;
  bool all_ = true;
};

/// The cheapest pass: true only when the output is certainly right in all chosen blocks. Works in
/// single precision, or in double for float64 outputs.
template <typename T>
bool floats_surely_right(const FreshContent& content, std::size_t output, const T* got,
                         const Spots& spots = {}) {
  constexpr bool single = std::is_same_v<T, float>;
  const Rule rule(content, output);
  bool right = true;
  double squares = 0;
  const auto check = [&](std::int64_t to, std::int64_t from, std::int64_t count, std::size_t row) {
    if (!right) return;
    right = rule.facts->clean[row] != 0 && rule.implies_max_error(row);
    if constexpr (single) {
      const QuickLimit limit = quick_limit(rule.inverse, rule.relative_and_rounding(),
                                           rule.allowed_in(row), rule.facts->row_rms[row]);
      right = right && limit.usable &&
              quick_accept(got + to, rule.facts->rounded.data() + from, count, limit, squares);
    } else {
      right = right &&
              part_right(rule, got + to, rule.want + from, count, rule.allowed_in(row), squares);
    }
  };
  const auto check_rows = [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    if (right) for_each_row_part(to, from, count, rule.facts->row, check);
  };
  for_each_run(shape_of(content, output), content.rotation,
               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                 if (right) spots.of_run(to, from, count, check_rows);
               });
  return right && squares <= rule.allowed_squares;
}

/// The cheap pass: decides in double precision and stops at the first wrong element. Leaves
/// tolerances that count misses to the slow pass.
template <typename T>
bool floats_right(const FreshContent& content, std::size_t output, const T* got) {
  if (content.task().tolerance.counts_misses()) return false;
  const Rule rule(content, output);
  const double* want = rule.want;
  bool right = true;
  double squares = 0;
  const auto check = [&](std::int64_t to, std::int64_t from, std::int64_t count, std::size_t row) {
    const double allowed = rule.allowed_in(row);
    const bool clean = rule.facts->clean[row] != 0;
    if (clean && part_right(rule, got + to, want + from, count, allowed, squares)) return;
    for (std::int64_t i = 0; i < count && right; ++i) {
      right = element_ratio(rule, got[to + i] * rule.inverse, want[from + i], allowed) <= 1;
    }
  };
  for_each_run(shape_of(content, output), content.rotation,
               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                 if (right) for_each_row_part(to, from, count, rule.facts->row, check);
               });
  return right && squares <= rule.allowed_squares;
}

template <typename T>
bool ints_right(const FreshContent& content, std::size_t output, const T* got,
                const Spots& spots = {}) {
  const std::int64_t* want = content.entry->integers[output].data();
  std::int64_t wrong = 0;
  const auto check = [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) wrong += got[to + i] != want[from + i];
  };
  for_each_run(shape_of(content, output), content.rotation,
               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                 spots.of_run(to, from, count, check);
               });
  return wrong == 0;
}

/// The slow pass, which visits every element. Filled for right outputs too.
struct Details {
  Mismatch mismatch;
  std::vector<std::int64_t> wrong;  ///< the first indices
  std::int64_t nans = 0;            ///< wrong elements that are NaN
  std::int64_t row = 1;
  double norm_ratio = 0;

  bool right() const {
    return mismatch.count <= mismatch.allowed && mismatch.beyond == 0 && norm_ratio <= 1;
  }

  void add(Mismatch::Element element, double ratio, bool beyond) {
    mismatch.worst_ratio = std::max(mismatch.worst_ratio, ratio);
    if (ratio <= 1) return;
    ++mismatch.count;
    mismatch.beyond += beyond;
    nans += std::isnan(element.got);
    if (wrong.size() < kept_indices) wrong.push_back(element.index);
    if (mismatch.first.size() < quoted) mismatch.first.push_back(element);
  }
};

template <typename T>
void look_at_floats(const FreshContent& content, std::size_t output, const T* got,
                    const std::vector<double>* room, Details& out) {
  Rule rule(content, output);
  if (room != nullptr) rule.widen(*room);
  double squares = 0;
  const auto check = [&](std::int64_t to, std::int64_t from, std::int64_t count, std::size_t row) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double want = rule.want[from + i];
      const double value = got[to + i] * rule.inverse;
      // NaN compares as not within the cap.
      out.add({to + i, got[to + i], want / rule.inverse},
              element_ratio(rule, value, want, rule.allowed_in(row)),
              !(std::isfinite(value) && error_of(rule, value, want) <= rule.max_error));
      if (rule.facts->clean[row] != 0) squares += rule.square(value - want);
    }
  };
  for_each_run(shape_of(content, output), content.rotation,
               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                 for_each_row_part(to, from, count, rule.facts->row, check);
               });
  const bool demanded = squares != 0 && !std::isinf(rule.allowed_squares);
  const double norm_ratio = demanded ? std::sqrt(squares / rule.allowed_squares) : 0;
  out.norm_ratio = std::isnan(norm_ratio) ? infinity : norm_ratio;
  out.mismatch.allowed = rule.most_misses;
  out.mismatch.worst_ratio = std::max(out.mismatch.worst_ratio, out.norm_ratio);
  out.mismatch.relative_l2 = squares == 0 ? 0 : std::sqrt(squares / rule.facts->sum_squares);
}

template <typename T>
void look_at_ints(const FreshContent& content, std::size_t output, const T* got, Details& out) {
  const std::int64_t* want = content.entry->integers[output].data();
  for_each_run(
      shape_of(content, output), content.rotation,
      [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t is = got[to + i], should_be = want[from + i];
          out.add({to + i, static_cast<double>(is), static_cast<double>(should_be), is, should_be},
                  is == should_be ? 0 : infinity, true);
        }
      });
}

/// Whether wrong elements reach the end of the tensor without a gap, or lie in the last quarter of
/// rows and include the rows' last elements.
bool is_tail(const Details& details) {
  const auto& wrong = details.wrong;
  const std::int64_t count = details.mismatch.count;
  const std::int64_t elements = details.mismatch.elements;
  if (count < elements && wrong.front() == elements - count &&
      count == static_cast<std::int64_t>(wrong.size())) {
    return true;
  }
  bool touches_end = false;
  for (const std::int64_t index : wrong) {
    const std::int64_t column = index % details.row;
    if (column < details.row - std::max<std::int64_t>(details.row / 4, 1)) return false;
    touches_end = touches_end || column == details.row - 1;
  }
  return details.row > 1 && touches_end;
}

/// The common distance of neighbouring wrong elements, or 0.
std::int64_t stride_of(const std::vector<std::int64_t>& wrong) {
  if (wrong.size() < 3) return 0;
  const std::int64_t stride = wrong[1] - wrong[0];
  for (std::size_t i = 2; i < wrong.size(); ++i) {
    if (wrong[i] - wrong[i - 1] != stride) return 0;
  }
  return stride;
}

void classify(Details& details) {
  Mismatch& mismatch = details.mismatch;
  if (mismatch.count == 0) {
    mismatch.pattern = ErrorPattern::norm;
  } else if (details.nans == mismatch.count) {
    mismatch.pattern = ErrorPattern::nan;
  } else if (mismatch.count >= mismatch.elements - mismatch.elements / 20) {
    mismatch.pattern = ErrorPattern::all;
  } else if (is_tail(details)) {
    mismatch.pattern = ErrorPattern::tail;
  } else if (const std::int64_t stride = stride_of(details.wrong); stride > 1) {
    mismatch.pattern = ErrorPattern::stride;
    mismatch.stride = stride;
  }
}

/// Calls `visit` with a pointer to the elements of a floating-point output; widens half types
/// first.
template <typename Visit>
auto with_floats(Dtype dtype, const std::byte* got, std::size_t count, Visit visit) {
  if (dtype == Dtype::float64) return visit(reinterpret_cast<const double*>(got));
  if (dtype == Dtype::float32) return visit(reinterpret_cast<const float*>(got));
  const auto* halves = reinterpret_cast<const std::uint16_t*>(got);
  std::vector<float> wide(count);
  for (std::size_t i = 0; i < count; ++i) wide[i] = widened(dtype, halves[i]);
  return visit(static_cast<const float*>(wide.data()));
}

/// Calls `visit(pointer)` with the elements of an output in their own type; half types become
/// float.
template <typename Visit>
auto with_elements(const FreshContent& content, std::size_t output, const std::byte* got,
                   Visit visit) {
  const Dtype dtype = content.task().tensors[content.shapes().inputs + output].dtype;
  if (is_int(dtype)) {
    return with_int_type(dtype,
                         [&]<typename T>(T) { return visit(reinterpret_cast<const T*>(got)); });
  }
  return with_floats(dtype, got, content.entry->expected[output].size(), visit);
}

Details look_at(const FreshContent& content, std::size_t output, const std::byte* got,
                const std::vector<double>* room = nullptr) {
  const TensorSpec& spec = content.task().tensors[content.shapes().inputs + output];
  Details details;
  details.mismatch.output = spec.name;
  details.mismatch.dtype = spec.dtype;
  details.mismatch.label = content.entry->label;
  details.mismatch.elements = shape_of(content, output).elements;
  details.row = content.entry->facts[output].row;
  with_elements(content, output, got, [&]<typename T>(const T* elements) {
    if constexpr (std::is_integral_v<T>) {
      look_at_ints(content, output, elements, details);
    } else {
      look_at_floats(content, output, elements, room, details);
    }
  });
  return details;
}

bool right(const FreshContent& content, std::size_t output, const std::byte* got) {
  return with_elements(content, output, got, [&]<typename T>(const T* elements) {
    if constexpr (std::is_integral_v<T>) {
      return ints_right(content, output, elements);
    } else {
      return floats_surely_right(content, output, elements) ||
             floats_right(content, output, elements);
    }
  });
}

bool surely_right(const FreshContent& content, std::size_t output, const std::byte* got,
                  const Spots& spots) {
  return with_elements(content, output, got, [&]<typename T>(const T* elements) {
    if constexpr (std::is_integral_v<T>) {
      return ints_right(content, output, elements, spots);
    } else {
      return floats_surely_right(content, output, elements, spots);
    }
  });
}

/// Prints enough digits to tell any two values of the type apart.
std::string figures(const Mismatch& mismatch, double value, std::int64_t integer) {
  if (is_int(mismatch.dtype)) return fmt::format("{}", integer);
  return fmt::format("{:.{}g}", value, mismatch.dtype == Dtype::float64 ? 17 : 9);
}

}  // namespace

std::string_view to_string(ErrorPattern pattern) {
  constexpr std::string_view names[] = {"all", "nan", "tail", "stride", "random", "norm"};
  return names[static_cast<std::size_t>(pattern)];
}

std::string Mismatch::text() const {
  std::string text = fmt::format(
      "{}: {} of {} wrong ({}{}), error {} x allowed, relative L2 {:.3g}", output, count, elements,
      to_string(pattern), stride > 0 ? fmt::format(" {}", stride) : "",
      worst_ratio > 1e6 ? "more than 1e6" : fmt::format("{:.3g}", worst_ratio), relative_l2);
  if (allowed > 0) text += fmt::format(", {} may be wrong", allowed);
  if (allowed > 0 && beyond > 0) {
    text += fmt::format(", {} beyond the largest error, NaN or infinite", beyond);
  }
  for (const Element& element : first) {
    text += fmt::format("; [{}] got {} want {}", element.index,
                        figures(*this, element.got, element.got_integer),
                        figures(*this, element.want, element.want_integer));
  }
  return text;
}

std::optional<Mismatch> compare(const FreshContent& content,
                                std::span<const std::byte* const> outputs) {
  KE_CHECK(outputs.size() == content.entry->expected.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (right(content, o, outputs[o])) continue;
    Details details = look_at(content, o, outputs[o]);
    if (content.task().tolerance.counts_misses() && details.right()) continue;
    const bool may_be_rounding = is_float(details.mismatch.dtype) && details.mismatch.beyond == 0;
    const auto& room = may_be_rounding ? rounding_room(*content.entry) : no_room;
    if (!room.empty()) details = look_at(content, o, outputs[o], &room[o]);
    if (!room.empty() && details.right()) continue;
    classify(details);
    return std::move(details.mismatch);
  }
  return std::nullopt;
}

std::optional<Mismatch> spot_compare(const FreshContent& content,
                                     std::span<const std::byte* const> outputs, std::uint64_t key) {
  KE_CHECK(outputs.size() == content.entry->expected.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!surely_right(content, o, outputs[o], Spots(key, shape_of(content, o))))
      return compare(content, outputs);
  }
  return std::nullopt;
}

double worst_ratio(const FreshContent& content, std::span<const std::byte* const> outputs) {
  KE_CHECK(outputs.size() == content.entry->expected.size());
  double worst = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Details details = look_at(content, o, outputs[o]);
    const double ratio = details.mismatch.worst_ratio;
    worst = std::max(worst, details.right() ? std::min(ratio, 1.0) : ratio);
  }
  return worst;
}

}  // namespace ke
