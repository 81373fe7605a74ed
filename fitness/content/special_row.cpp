#include "fitness/content/special_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ke {
namespace {

constexpr std::uint64_t row_shift = 6;
constexpr std::uint64_t input_shift = 24;

struct Rows {
  std::span<double> all, row, next;  // `next` is `row` when there is only one
  const SpecialRows* options;
  SecretRandom* random;

  std::size_t column() const { return random->below(row.size()); }
};

void scale_down(std::span<double> values, std::uint64_t shift) {
  for (double& value : values) value = std::ldexp(value, -static_cast<int>(shift));
}

void zeros(const Rows& rows) { std::ranges::fill(rows.row, 0.0); }
void equals(const Rows& rows) { std::ranges::fill(rows.row, rows.row[0]); }
void nearly_equals(const Rows& rows) {
  equals(rows);
  double& changed = rows.row[rows.column()];
  changed = changed == 0 ? 1 : 2 * changed;
}
void small(const Rows& rows) { scale_down(rows.row, 1 + rows.random->below(row_shift)); }
void all_small(const Rows& rows) { scale_down(rows.all, 1 + rows.random->below(input_shift)); }

void nearly_twice(const Rows& rows) {
  std::ranges::copy(rows.row, rows.next.begin());
  double& changed = rows.next[rows.column()];
  changed = changed == 0 ? 1 : -changed;
}

void nearly_sorted(const Rows& rows) {
  std::ranges::sort(rows.row);
  std::swap(rows.row[rows.column()], rows.row[rows.column()]);
}

void from_elsewhere(const Rows& rows) {
  for (const double value : rows.options->elsewhere) rows.row[rows.column()] = value;
}

using Change = void(const Rows&);

}  // namespace

std::string make_special(std::span<double> values, const SpecialRows& rows, SecretRandom& random) {
  const std::size_t count = values.size() / rows.length;
  const std::size_t at = random.below(count);
  const auto row_at = [&](std::size_t i) {
    return values.subspan(i % count * rows.length, rows.length);
  };
  struct Kind {
    const char* name;
    Change* change;
    bool applies = true;
  };
  const std::array kinds{
      Kind{"a row of zeros", zeros},
      Kind{"a small row", small},
      Kind{"small values", all_small},
      Kind{"a nearly sorted row", nearly_sorted},
      Kind{"a row of equals", equals, rows.equals},
      Kind{"a row of equals but one", nearly_equals, rows.equals},
      Kind{"a row nearly twice", nearly_twice, count > 1},
      Kind{"elements of other inputs", from_elsewhere, !rows.elsewhere.empty()},
  };
  const Kind* kind = &kinds[random.below(kinds.size())];
  while (!kind->applies) kind = &kinds[random.below(kinds.size())];
  kind->change({values, row_at(at), row_at(at + 1), &rows, &random});
  return kind->name;
}

}  // namespace ke
