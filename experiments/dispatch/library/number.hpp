#pragma once
// Integers of the expressions of tasks and launch plans. Part of every exported dispatcher.

#include <cstddef>
#include <cstdint>

namespace dispatch {

/// A 64-bit integer that yields 0 for division by zero: a grid of 0 blocks makes the launch fail.
struct Number {
  std::int64_t value = 0;

  constexpr Number() = default;
  constexpr Number(std::int64_t number) : value(number) {}
  constexpr Number(int number) : value(number) {}
  constexpr Number(long long number) : value(number) {}
  constexpr Number(bool truth) : value(truth ? 1 : 0) {}
  explicit constexpr operator bool() const { return value != 0; }

  friend constexpr Number operator-(Number a) { return -a.value; }
  friend constexpr Number operator+(Number a, Number b) { return a.value + b.value; }
  friend constexpr Number operator-(Number a, Number b) { return a.value - b.value; }
  friend constexpr Number operator*(Number a, Number b) { return a.value * b.value; }
  friend constexpr Number operator/(Number a, Number b) {
    return b.value == 0 ? 0 : a.value / b.value;
  }
  friend constexpr Number operator%(Number a, Number b) {
    return b.value == 0 ? 0 : a.value % b.value;
  }
  friend constexpr bool operator==(Number a, Number b) { return a.value == b.value; }
  friend constexpr bool operator!=(Number a, Number b) { return a.value != b.value; }
  friend constexpr bool operator<(Number a, Number b) { return a.value < b.value; }
  friend constexpr bool operator>(Number a, Number b) { return a.value > b.value; }
  friend constexpr bool operator<=(Number a, Number b) { return a.value <= b.value; }
  friend constexpr bool operator>=(Number a, Number b) { return a.value >= b.value; }
};

constexpr Number min(Number a, Number b) { return a < b ? a : b; }
constexpr Number max(Number a, Number b) { return a > b ? a : b; }
constexpr Number ceil_div(Number a, Number b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}
constexpr Number round_up(Number a, Number b) { return ceil_div(a, b) * b; }

/// A tensor's bytes; 0 where the expression is negative.
constexpr std::size_t bytes(Number number) {
  return number > 0 ? static_cast<std::size_t>(number.value) : 0;
}

}  // namespace dispatch
