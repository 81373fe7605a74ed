#pragma once
// Integer formulas, compiled to steps for a stack: the judge evaluates expressions of tasks and
// plans with them, and so does every exported library, which holds a copy of this file.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ke {

namespace formula {

__extension__ typedef __int128 Wide;  ///< no result of two 64-bit numbers needs more
enum Level { either, both, equality, order, sum, product, function };

/// An operator of two numbers, or a function.
struct Operator {
  Level level;  ///< later ones bind closer
  std::string_view token;
  bool divides;  ///< has no value where `b` is 0
  Wide (*combine)(Wide a, Wide b);
};

constexpr Wide ceil_div(Wide a, Wide b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

inline constexpr Operator operators[] = {
    {either, "||", false, [](Wide a, Wide b) -> Wide { return a != 0 || b != 0; }},
    {both, "&&", false, [](Wide a, Wide b) -> Wide { return a != 0 && b != 0; }},
    {equality, "==", false, [](Wide a, Wide b) -> Wide { return a == b; }},
    {equality, "!=", false, [](Wide a, Wide b) -> Wide { return a != b; }},
    {order, "<=", false, [](Wide a, Wide b) -> Wide { return a <= b; }},
    {order, ">=", false, [](Wide a, Wide b) -> Wide { return a >= b; }},
    {order, "<", false, [](Wide a, Wide b) -> Wide { return a < b; }},
    {order, ">", false, [](Wide a, Wide b) -> Wide { return a > b; }},
    {sum, "+", false, [](Wide a, Wide b) { return a + b; }},
    {sum, "-", false, [](Wide a, Wide b) { return a - b; }},
    {product, "*", false, [](Wide a, Wide b) { return a * b; }},
    {product, "/", true, [](Wide a, Wide b) { return a / b; }},
    {product, "%", true, [](Wide a, Wide b) { return a % b; }},
    {function, "min", false, [](Wide a, Wide b) { return a < b ? a : b; }},
    {function, "max", false, [](Wide a, Wide b) { return a > b ? a : b; }},
    {function, "ceil_div", true, ceil_div},
    {function, "round_up", true, [](Wide a, Wide b) { return ceil_div(a, b) * b; }},
};

inline const Operator* find_operator(std::string_view token) {
  for (const Operator& one : operators) {
    if (one.token == token) return &one;
  }
  return nullptr;
}

}  // namespace formula

/// || && ! == != < <= > >= + - * / % ( ), integers, names, min(a, b), max(a, b), ceil_div(a, b),
/// round_up(a, b) = ceil_div(a, b) * b, and occupancy(stage), which is a name.
/// Arithmetic is 64-bit and divides towards zero; true is 1.
class Formula {
 public:
  enum class Fault : unsigned char { none, no_formula, unknown_name, zero_divisor, overflow };
  struct Value {
    std::int64_t number;
    Fault fault;  ///< why there is no number
  };
  /// Puts a number or the value of a name on the stack, or combines the two values on its top.
  struct Step {
    enum Kind : unsigned char { number, name, combine };
    Kind kind;
    std::int64_t value;  ///< a number, or the index of a name or operator
  };
  /// The step for a name; occupancies come as "occupancy(stage)", without blanks.
  using Resolve = std::function<Step(std::string_view name)>;

  /// Without a value.
  Formula() = default;
  /// `error` tells what is wrong with the text, and then the formula has no value.
  Formula(std::string_view text, const Resolve& resolve);

  const std::string& error() const { return error_; }

  /// `value_of` answers the Value of a name's index; it is asked for all names. A fault in the part
  /// that || or && skips is none.
  template <typename ValueOf>
  Value evaluate(const ValueOf& value_of) const {
    if (steps_.size() == 1) return pushed(steps_.front(), value_of);  // as most formulas are
    return evaluate_all(value_of);
  }

 private:
  class Parser;
  // The parser nests at most 400 binary terms, which leave one value each, and fewer calls.
  static constexpr std::size_t deepest = 512;

  template <typename ValueOf>
  static Value pushed(const Step& step, const ValueOf& value_of) {
    return step.kind == Step::number ? Value{step.value, Fault::none} : value_of(step.value);
  }

  template <typename ValueOf>
  Value evaluate_all(const ValueOf& value_of) const {
    Value stack[deepest];
    std::size_t top = 0;
    for (const Step& step : steps_) {
      if (step.kind == Step::combine) {
        --top;
        stack[top - 1] = combined(formula::operators[step.value], stack[top - 1], stack[top]);
      } else {
        stack[top++] = pushed(step, value_of);
      }
    }
    return top == 1 ? stack[0] : Value{0, Fault::no_formula};
  }

  static Value combined(const formula::Operator& by, const Value& a, const Value& b) {
    if (a.fault != Fault::none) return a;
    const bool truth = a.number != 0;
    if (by.level == (truth ? formula::either : formula::both)) return {truth, Fault::none};
    if (b.fault != Fault::none) return b;
    if (by.divides && b.number == 0) return {0, Fault::zero_divisor};
    const formula::Wide value = by.combine(a.number, b.number);
    const auto number = static_cast<std::int64_t>(value);
    return {number, number == value ? Fault::none : Fault::overflow};
  }

  std::string error_;
  std::vector<Step> steps_;
};

/// Recursive descent, one method per kind of term. Each adds the steps that leave its value.
class Formula::Parser {
 public:
  Parser(std::string_view text, const Resolve& resolve) : text_(text), resolve_(resolve) {}

  /// Leaves the first error in `error`.
  std::vector<Step> parse(std::string& error) {
    binary(formula::either);
    skip_space();
    if (at_ < text_.size()) fail("unexpected text");
    error = std::move(failed_);
    return error.empty() ? std::move(steps_) : std::vector<Step>();
  }

 private:
  void fail(const char* what) {
    if (failed_.empty()) failed_ = what + (" at position " + std::to_string(at_ + 1));
  }
  void skip_space() {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    while (at_ < text_.size() && blanks.find(text_[at_]) != blanks.npos) ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  const formula::Operator* take_operator(int level) {
    for (const formula::Operator& one : formula::operators) {
      if (failed_.empty() && one.level == level && take(one.token)) return &one;
    }
    return nullptr;
  }
  void number(std::int64_t value) { steps_.push_back({Step::number, value}); }
  void combine(const formula::Operator* by) {
    steps_.push_back({Step::combine, by - formula::operators});
  }

  void binary(int level) {
    if (level == formula::function) return unary();
    if (++depth_ > 400) fail("nested too deeply");
    binary(level + 1);
    while (const formula::Operator* const found = take_operator(level)) {
      binary(level + 1);
      combine(found);
    }
    --depth_;
  }
  /// !x is x == 0, and -x is x * -1.
  void unary() {
    if (!failed_.empty()) return;
    const bool inverts = take("!");
    if (!inverts && !take("-")) return primary();
    unary();
    number(inverts ? 0 : -1);
    combine(formula::find_operator(inverts ? "==" : "*"));
  }
  void primary() {
    if (take("(")) {
      binary(formula::either);
      if (!take(")")) fail("missing ')'");
      return;
    }
    const std::string_view word = take_word();
    if (word.empty()) {
      fail(at_ < text_.size() ? "unexpected character" : "something is missing");
    } else if (word[0] >= '0' && word[0] <= '9') {
      literal(word);
    } else if (take("(")) {
      call(word);
    } else {
      steps_.push_back(resolve_(word));
    }
  }
  std::string_view take_word() {
    skip_space();
    const std::size_t begin = at_;
    const auto stands_in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (at_ < text_.size() && stands_in_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void literal(std::string_view word) {
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stopped, code] = std::from_chars(word.data(), end, value);
    if (code != std::errc() || stopped != end) fail("not a 64-bit integer");
    number(value);
  }
  void call(std::string_view name) {
    if (name == "occupancy") return occupancy();
    const formula::Operator* const function = formula::find_operator(name);
    if (function == nullptr) fail("unknown function");
    binary(formula::either);
    if (!take(",")) fail("missing ','");
    binary(formula::either);
    if (!take(")")) fail("missing ')'");
    if (failed_.empty()) combine(function);
  }
  void occupancy() {
    const std::string stage(take_word());
    if (stage.empty()) fail("missing name of a stage");
    if (!take(")")) fail("missing ')'");
    steps_.push_back(resolve_("occupancy(" + stage + ")"));
  }

  std::string_view text_;
  const Resolve& resolve_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string failed_;
  std::vector<Step> steps_;
};

inline Formula::Formula(std::string_view text, const Resolve& resolve)
    : steps_(Parser(text, resolve).parse(error_)) {}

}  // namespace ke
