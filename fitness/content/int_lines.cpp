#include "fitness/content/int_lines.hpp"

#include "fitness/content/generate.hpp"
#include "fitness/content/line.hpp"

namespace ke {
namespace {

using IntLine = lines::Line<std::int64_t, IntRules>;

std::uint64_t range_of(const IntLine& line) {
  return static_cast<std::uint64_t>(line.rules->high) - static_cast<std::uint64_t>(line.rules->low);
}

/// The value that lies `above` places above the least one, modulo the range.
std::int64_t value_at(const IntLine& line, std::uint64_t above) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(line.rules->low) +
                                   above % range_of(line));
}

std::int64_t any_value(const IntLine& line) { return value_at(line, line.below(range_of(line))); }

/// Counts up or down from a random start, modulo the range: mostly down, since a class counts up,
/// and one time in four in larger steps.
void counting(const IntLine& line) {
  const std::uint64_t range = range_of(line), start = line.below(range);
  const std::uint64_t step =
      line.below(4) > 0 ? 1 : 1 + line.below(std::min<std::uint64_t>(range, 1024));
  const bool down = line.below(3) > 0;
  std::uint64_t moved = 0;
  for (std::int64_t& value : line.row) {
    value =
        value_at(line, down ? (start >= moved ? start - moved : start + (range - moved))
                            : (range - start > moved ? start + moved : moved - (range - start)));
    moved = (moved + step) % range;
  }
}

void all_one_value(const IntLine& line) { line.fill(any_value(line)); }

/// Two to four distinct values.
void few_values(const IntLine& line) {
  const std::int64_t list[] = {any_value(line), any_value(line), any_value(line), any_value(line)};
  const std::uint64_t distinct = 2 + line.below(3);
  for (std::int64_t& value : line.row) value = list[line.below(distinct)];
}

void all_highest(const IntLine& line) { line.fill(line.rules->high - 1); }
void all_lowest(const IntLine& line) { line.fill(line.rules->low); }
void both_extremes(const IntLine& line) {
  for (std::int64_t& value : line.row) value = line.coin() ? line.rules->low : line.rules->high - 1;
}

/// Most values near an end of the range.
void skewed(const IntLine& line) {
  const bool top = line.coin();
  for (std::int64_t& value : line.row) {
    const std::uint64_t distance = zipf(range_of(line), *line.random);
    value = value_at(line, top ? range_of(line) - 1 - distance : distance);
  }
}

/// The line before it, or the same but for one element.
void repeated_ints(const IntLine& line) {
  if (line.before.empty()) return;
  std::ranges::copy(line.before, line.row.begin());
  if (line.coin()) line.row[line.place()] = any_value(line);
}

void with_share(const IntLine& line, double share) {
  for (std::int64_t& value : line.row) value = line.chance(share) ? 1 : 0;
}

void density(const IntLine& line) { with_share(line, line.random->uniform()); }
void nearly_none(const IntLine& line) { with_share(line, line.share()); }
void nearly_all(const IntLine& line) { with_share(line, 1 - line.share()); }

/// Ones, or zeros, at one place alone.
void one_alone(const IntLine& line) {
  const std::int64_t one = line.coin() ? 1 : 0;
  line.fill(1 - one);
  line.row[line.place()] = one;
}

/// Ones at first and then zeros, or the other way round.
void prefix(const IntLine& line) {
  const std::int64_t first = line.coin() ? 1 : 0;
  const std::size_t length = line.below(line.size() + 1);
  line.fill(0, length, first);
  line.fill(length, line.size(), 1 - first);
}

/// Ones within a range alone, or outside of it.
void band(const IntLine& line) {
  const auto [first, last] = line.places();
  const std::int64_t within = line.coin() ? 1 : 0;
  line.fill(1 - within);
  line.fill(first, last + 1, within);
}

void alternating_bools(const IntLine& line) {
  const std::size_t first = line.below(2);
  for (std::size_t i = 0; i < line.size(); ++i) line.row[i] = (i + first) % 2 == 0 ? 1 : 0;
}

constexpr lines::Kind<IntLine> kinds_of_ints[] = {
    {"rising", lines::rising<IntLine>},
    {"falling", lines::falling<IntLine>},
    {"counting", counting},
    {"runs", lines::runs<IntLine>},
    {"plateau", lines::plateau<IntLine>},
    {"equals", all_one_value},
    {"few", few_values},
    {"copies", lines::copies<IntLine>},
    {"highest", all_highest},
    {"lowest", all_lowest},
    {"extremes", both_extremes},
    {"skewed", skewed},
    {"repeated", repeated_ints},
    {"numbers", lines::numbers<IntLine>},
};

constexpr lines::Kind<IntLine> kinds_of_bools[] = {
    {"none", all_lowest},
    {"all", all_highest},
    {"density", density},
    {"nearly_none", nearly_none},
    {"nearly_all", nearly_all},
    {"one_alone", one_alone},
    {"prefix", prefix},
    {"band", band},
    {"alternating", alternating_bools},
    {"runs", lines::runs<IntLine>},
    {"repeated", repeated_ints},
};

void vary(std::span<const lines::Kind<IntLine>> all, std::span<std::int64_t> values,
          std::span<const std::int64_t> dims, const IntRules& rules, SecretRandom& kinds,
          SecretRandom& random) {
  std::vector<const lines::Kind<IntLine>*> list;
  for (const auto& kind : all) {
    if (kind.change == lines::numbers<IntLine> && rules.numbers.empty()) continue;
    if (!lines::avoids(rules, kind.name)) list.push_back(&kind);
  }
  lines::vary<IntLine>(list, values, lines::length(dims, kinds), rules, kinds, random);
}

}  // namespace

const std::vector<std::string>& int_line_kinds() {
  static const std::vector<std::string> names = lines::names_of(kinds_of_ints);
  return names;
}

const std::vector<std::string>& bool_line_kinds() {
  static const std::vector<std::string> names = lines::names_of(kinds_of_bools);
  return names;
}

void vary_ints(std::span<std::int64_t> values, std::span<const std::int64_t> dims,
               const IntRules& rules, SecretRandom& kinds, SecretRandom& random) {
  vary(kinds_of_ints, values, dims, rules, kinds, random);
}

void vary_bools(std::span<std::int64_t> values, std::span<const std::int64_t> dims,
                const IntRules& rules, SecretRandom& kinds, SecretRandom& random) {
  vary(kinds_of_bools, values, dims, rules, kinds, random);
}

}  // namespace ke
