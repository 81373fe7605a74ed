#pragma once
// Lines of a tensor and what is done to lines of floats and of integers alike.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/secret_random.hpp"

namespace ke::lines {

/// A run of consecutive elements of a tensor: a row, several rows, or all of it.
template <typename T, typename Rules>
struct Line {
  std::span<T> row;
  std::span<const T> before;  ///< the line before it, of the same length, or empty
  std::size_t index = 0;      ///< position of this line among the tensor's lines
  const Rules* rules = nullptr;
  SecretRandom* random = nullptr;

  std::size_t size() const { return row.size(); }
  std::uint64_t below(std::uint64_t n) const { return random->below(n); }
  std::size_t place() const { return below(row.size()); }
  bool coin() const { return below(2) == 0; }
  bool chance(double share) const { return random->uniform() < share; }
  /// 2^-1, 2^-2, ... down to about 1 / size.
  double share() const {
    return std::ldexp(1.0, -static_cast<int>(1 + below(std::bit_width(row.size()))));
  }
  void fill(T value) const { std::ranges::fill(row, value); }
  void fill(std::size_t first, std::size_t last, T value) const {
    std::ranges::fill(row.subspan(first, last - first), value);
  }
  /// Two places in order, which may be equal.
  std::pair<std::size_t, std::size_t> places() const {
    const std::size_t a = place(), b = place();
    return {std::min(a, b), std::max(a, b)};
  }
};

/// A kind of lines.
template <typename L>
struct Kind {
  const char* name;
  void (*change)(const L&);
  bool positive = false, ascending = false;  ///< keeps lines above 0, ascending
};

template <typename L>
void swap_seldom(const L& line) {
  if (line.below(4) == 0) std::swap(line.row[line.place()], line.row[line.place()]);
}

template <typename L>
void rising(const L& line) {
  std::ranges::sort(line.row);
  swap_seldom(line);
}

template <typename L>
void falling(const L& line) {
  std::ranges::sort(line.row, std::greater<>());
  swap_seldom(line);
}

/// Runs of equal neighbours.
template <typename L>
void runs(const L& line) {
  const std::uint64_t longest = std::uint64_t{2} << line.below(std::bit_width(line.size()));
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min<std::size_t>(at + 1 + line.below(longest), line.size());
    line.fill(at, end, line.row[at]);
    at = end;
  }
}

/// One run of equal elements, of any length.
template <typename L>
void plateau(const L& line) {
  const auto [first, last] = line.places();
  line.fill(first, last + 1, line.row[first]);
}

/// Some elements equal another one: each a random one, all the same one, or all the largest.
template <typename L>
void copies(const L& line) {
  const double share = line.share();
  const std::uint64_t mode = line.below(3);
  const auto one = mode == 0 ? line.row[line.place()] : *std::ranges::max_element(line.row);
  const auto count = static_cast<std::size_t>(share * static_cast<double>(line.size()));
  for (std::size_t i = 0; i <= count; ++i) {
    line.row[line.place()] = mode == 2 ? line.row[line.place()] : one;
  }
}

/// Numbers of the rules in some places.
template <typename L>
void numbers(const L& line) {
  const auto& list = line.rules->numbers;
  const double share = line.share();
  line.row[line.place()] = list[line.below(list.size())];
  for (auto& value : line.row) {
    if (line.chance(share)) value = list[line.below(list.size())];
  }
}

template <typename Rules>
bool avoids(const Rules& rules, const char* name) {
  return std::ranges::find(rules.avoid, name) != rules.avoid.end();
}

template <typename Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return names;
}

/// Elements of a line: the product of 1 to all of the last dimensions, half of the time of one; at
/// least 2 where the tensor has as many. All of a tensor is cut into up to 8 lines.
std::size_t length(std::span<const std::int64_t> dims, SecretRandom& kinds);

/// Changes three of four lines of that length, each by a kind of `list`.
template <typename L, typename T, typename Rules>
void vary(const std::vector<const Kind<L>*>& list, std::span<T> values, std::size_t length,
          const Rules& rules, SecretRandom& kinds, SecretRandom& random) {
  if (list.empty()) return;
  for (std::size_t at = 0; at < values.size(); at += length) {
    const std::uint64_t choice = kinds.below(4 * list.size());
    if (choice >= 3 * list.size()) continue;
    L line;
    line.row = values.subspan(at, std::min(length, values.size() - at));
    if (at >= length && line.size() == length) line.before = values.subspan(at - length, length);
    line.index = at / length;
    line.rules = &rules;
    line.random = &random;
    list[choice % list.size()]->change(line);
  }
}

}  // namespace ke::lines
