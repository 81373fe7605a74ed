#include "fitness/content/float_lines.hpp"

#include <iterator>

#include "fitness/content/line.hpp"

namespace ke {
namespace {

using FloatLine = lines::Line<double, FloatRules>;

constexpr double most_ratio_bits = 9;  // mean of a line over its largest deviation: up to 2^9
// A single-precision sum in order of n values with mean m has an error of up to m n 2^-25, which
// must stay well below their deviation.
constexpr double ratio_times_length_bits = 17;
constexpr double below_one = 31.0 / 32;  // keeps lines of one sign above 0
constexpr const char* columns_name = "columns";

double largest_in(const FloatLine& line) {
  double most = 0;
  for (const double value : line.row) most = std::max(most, std::abs(value));
  return most;
}

void multiply(std::span<double> values, double factor) {
  for (double& value : values) value *= factor;
}

double negative_power(std::uint64_t shift) { return std::ldexp(1.0, -static_cast<int>(shift)); }

void shrunk(const FloatLine& line) {
  multiply(line.row, negative_power(1 + line.below(line.rules->deepest)));
}

void grown(const FloatLine& line) {
  const double top = largest_in(line);
  if (top > 0 && top < line.rules->most) {
    multiply(line.row, std::pow(line.rules->most / top, line.random->uniform()));
  }
}

/// A mean that is up to 2^most_ratio_bits times the largest deviation from it.
void offset(const FloatLine& line) {
  const double top = largest_in(line);
  if (top == 0) return;
  const double bits = std::min(most_ratio_bits * line.rules->digits / 24.0,
                               ratio_times_length_bits - std::log2(line.size()));
  const double ratio = std::exp2(std::max(bits, 1.0) * line.random->uniform());
  const double largest = std::max(line.rules->most / 2, top);
  const double mean = top * std::pow(largest / top, line.random->uniform());
  const double sign = line.rules->positive || line.coin() ? 1 : -1;
  for (double& value : line.row) value = mean * (sign + below_one * value / (top * ratio));
}

/// Few distinct values.
void coarse(const FloatLine& line) {
  const double step = largest_in(line) * negative_power(line.below(5));
  if (step == 0) return;
  for (double& value : line.row) {
    const double rounded = std::nearbyint(value / step);
    value = step * (line.rules->positive ? std::max(rounded, 1.0) : rounded);
  }
}

/// Zeros but for some elements in random places.
void sparse(const FloatLine& line) {
  const double kept = line.share();
  const std::size_t one = line.place();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i != one && !line.chance(kept)) line.row[i] = 0;
  }
}

/// Zeros within a range, or outside of it.
void cut(const FloatLine& line) {
  const auto [first, last] = line.places();
  if (line.coin()) return line.fill(first, last + 1, 0);
  line.fill(0, first, 0);
  line.fill(last + 1, line.size(), 0);
}

/// One element far larger than the others, every second time the first or the last one.
void dominated(const FloatLine& line) {
  const std::size_t places[] = {0, line.size() - 1, line.place(), line.place()};
  const std::size_t one = places[line.below(4)];
  const double kept = line.row[one] == 0 ? largest_in(line) : line.row[one];
  multiply(line.row, negative_power(4 + line.below(9)));
  line.row[one] = kept;
}

void set_signs(std::span<double> values, double sign) {
  for (double& value : values) value = sign * std::abs(value);
}

void one_signed(const FloatLine& line) { set_signs(line.row, line.coin() ? 1 : -1); }

/// One sign at first, then the other, or both.
void split_signs(const FloatLine& line) {
  const double sign = line.coin() ? 1 : -1;
  const std::size_t at = line.place() + 1;
  set_signs(line.row.first(at), sign);
  if (line.coin()) set_signs(line.row.subspan(at), -sign);
}

void alternating_signs(const FloatLine& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    line.row[i] = (i % 2 == 0 ? 1 : -1) * std::abs(line.row[i]);
  }
}

/// Equal magnitudes.
void signs_alone(const FloatLine& line) {
  const double size = largest_in(line);
  for (double& value : line.row) value = value < 0 ? -size : size;
}

/// Magnitudes that fall along the line, or rise.
void fading(const FloatLine& line) {
  const double rate = line.random->uniform() * static_cast<double>(line.rules->deepest) /
                      static_cast<double>(line.size());
  const bool forward = line.coin();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t distance = forward ? i : line.size() - 1 - i;
    line.row[i] *= std::exp2(-rate * static_cast<double>(distance));
  }
}

void zeros(const FloatLine& line) { line.fill(0); }

/// Equal elements, or all but one.
void equals(const FloatLine& line) {
  line.fill(line.row[line.place()]);
  if (line.rules->ascending || line.coin()) return;
  double& changed = line.row[line.place()];
  changed = changed == 0 ? 1 : 2 * changed;
}

/// The line before it, the same but for one element, or negated.
void repeated(const FloatLine& line) {
  if (line.before.empty()) return;
  std::ranges::copy(line.before, line.row.begin());
  if (line.rules->ascending) return;
  const std::uint64_t mode = line.below(3);
  if (mode == 0) line.row[line.place()] *= line.rules->positive ? 2 : -1;
  if (mode == 1 && !line.rules->positive) multiply(line.row, -1);
}

/// A single element that is not zero, at the line's own place: such lines make a diagonal.
void diagonal(const FloatLine& line) {
  const std::size_t one = line.index % line.size();
  const double kept = line.row[one] == 0 ? 1 : line.row[one];
  line.fill(0);
  line.row[one] = kept;
}

constexpr lines::Kind<FloatLine> kinds_of_floats[] = {
    {"shrunk", shrunk, true, true},
    {"grown", grown, true, true},
    {"offset", offset, true, true},
    {"coarse", coarse, true, true},
    {"copies", lines::copies<FloatLine>, true},
    {"rising", lines::rising<FloatLine>, true},
    {"falling", lines::falling<FloatLine>, true},
    {"runs", lines::runs<FloatLine>, true, true},
    {"plateau", lines::plateau<FloatLine>, true, true},
    {"sparse", sparse},
    {"cut", cut},
    {"dominated", dominated, true},
    {"one_signed", one_signed},
    {"split_signs", split_signs},
    {"alternating", alternating_signs},
    {"signs", signs_alone},
    {"fading", fading, true},
    {"zeros", zeros},
    {"equals", equals, true, true},
    {"repeated", repeated, true, true},
    {"diagonal", diagonal},
    {"numbers", lines::numbers<FloatLine>, true},
};

std::vector<const lines::Kind<FloatLine>*> allowed_kinds(const FloatRules& rules) {
  std::vector<const lines::Kind<FloatLine>*> list;
  for (const auto& kind : kinds_of_floats) {
    if (rules.positive && !kind.positive) continue;
    if (rules.ascending && !kind.ascending) continue;
    if (kind.change == equals && !rules.equals) continue;
    if (kind.change == lines::numbers<FloatLine> && rules.numbers.empty()) continue;
    if (!lines::avoids(rules, kind.name)) list.push_back(&kind);
  }
  return list;
}

/// Takes changes back that made all elements of a row equal. Zeros may be.
void restore_equal_rows(std::span<double> values, std::size_t row, std::span<const double> drawn) {
  for (std::size_t at = 0; at + row <= values.size(); at += row) {
    const double first = values[at];
    const auto line = values.subspan(at, row);
    if (first == 0 || std::ranges::any_of(line, [&](double v) { return v != first; })) continue;
    std::ranges::copy(drawn.subspan(at, row), line.begin());
  }
}

/// A run of equal elements around the middle of some ascending rows, as a spike in quantiles has
/// it.
void add_spikes(std::span<double> values, std::size_t row, SecretRandom& random) {
  for (std::size_t at = 0; at + row <= values.size(); at += row) {
    if (random.below(3) > 0) continue;
    const std::size_t first = random.below(row / 2 + 1);
    const std::size_t last = row / 2 + random.below(row - row / 2);
    std::ranges::fill(values.subspan(at + first, last + 1 - first), values[at + first]);
  }
}

/// Structure across rows: columns that are zero, zero but in a range of rows, small, or equal to
/// another column.
void vary_columns(std::span<double> values, std::size_t length, SecretRandom& random) {
  const std::size_t rows = values.size() / length;
  for (std::size_t c = 0; c < length; ++c) {
    const std::uint64_t kind = random.below(8);
    if (kind < 4) continue;
    const auto [first, last] = std::minmax({random.below(rows), random.below(rows)});
    const std::size_t other = random.below(length);
    const double factor = negative_power(1 + random.below(12));
    for (std::size_t r = 0; r < rows; ++r) {
      double& value = values[r * length + c];
      if (kind == 4 || (kind == 5 && (r < first || r > last))) value = 0;
      if (kind == 6) value *= factor;
      if (kind == 7) value = values[r * length + other];
    }
  }
}

}  // namespace

const std::vector<std::string>& float_line_kinds() {
  static const std::vector<std::string> names = [] {
    auto list = lines::names_of(kinds_of_floats);
    list.emplace_back(columns_name);
    return list;
  }();
  return names;
}

std::size_t lines::length(std::span<const std::int64_t> dims, SecretRandom& kinds) {
  const std::size_t trailing = kinds.below(2) == 0 ? 1 : 1 + kinds.below(dims.size());
  const std::size_t pieces = 1 + kinds.below(8);
  std::size_t all = 1, length = 1;
  for (const std::int64_t dim : dims) all *= static_cast<std::size_t>(dim);
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (dims.size() - d > trailing && length > 1) break;
    length *= static_cast<std::size_t>(dims[d]);
  }
  return length < all ? length : std::max<std::size_t>((all + pieces - 1) / pieces, 1);
}

void vary_floats(std::span<double> values, std::span<const std::int64_t> dims,
                 const FloatRules& rules, SecretRandom& kinds, SecretRandom& random) {
  if (values.empty()) return;
  const auto row = static_cast<std::size_t>(dims.back());
  const bool columns = kinds.below(4) == 0 && row < values.size();
  const bool small = kinds.below(8) == 0;
  if (columns && !rules.positive && !rules.ascending && !lines::avoids(rules, columns_name)) {
    vary_columns(values, row, random);
  }
  if (small && !lines::avoids(rules, "shrunk")) {
    multiply(values, negative_power(1 + random.below(rules.deepest)));
  }
  const std::vector<double> drawn(values.begin(), values.end());
  lines::vary<FloatLine>(allowed_kinds(rules), values,
                         rules.ascending ? row : lines::length(dims, kinds), rules, kinds, random);
  if (rules.ascending && !lines::avoids(rules, "plateau")) add_spikes(values, row, random);
  if (!rules.equals && row > 1) restore_equal_rows(values, row, drawn);
}

}  // namespace ke
