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

/// || && ! == != < <= > >= + - * / % ( ), integers, names, min(a, b), max(a, b), ceil_div(a, b),
/// round_up(a, b) = the least multiple of b that is >= a, and occupancy(stage), which is a name.
/// Arithmetic is 64-bit and divides towards zero; true is 1.
class Formula {
 public:
  enum class Op : unsigned char {
    number,
    name,
    negate,
    invert,
    either,
    both,
    equal,
    unequal,
    less,
    at_most,
    more,
    at_least,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    min,
    max,
    ceil_div,
    round_up
  };
  /// Puts a number or the value of a name on the stack, or combines what lies there.
  struct Step {
    Op op;
    std::int64_t value;  ///< a number, or the index of a name
  };
  enum class Fault : unsigned char { none, no_formula, unknown_name, zero_divisor, overflow };
  struct Value {
    std::int64_t number;
    Fault fault;  ///< why there is no number
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
    Value stack[deepest];
    std::size_t top = 0;
    for (const Step& step : steps_) {
      switch (step.op) {
        case Op::number: stack[top++] = {step.value, Fault::none}; break;
        case Op::name: stack[top++] = value_of(step.value); break;
        case Op::negate:
          stack[top - 1] = combined(Op::subtract, {0, Fault::none}, stack[top - 1]);
          break;
        case Op::invert:
          stack[top - 1] = combined(Op::equal, {0, Fault::none}, stack[top - 1]);
          break;
        default: --top; stack[top - 1] = combined(step.op, stack[top - 1], stack[top]);
      }
    }
    return top == 1 ? stack[0] : Value{0, Fault::no_formula};
  }

 private:
  class Parser;
  // The parser nests at most 400 binary terms, which leave one value each, and fewer calls.
  static constexpr std::size_t deepest = 512;

  static Value combined(Op op, Value a, Value b) {
    if (a.fault != Fault::none) return a;
    if (op == Op::either && a.number != 0) return {1, Fault::none};
    if (op == Op::both && a.number == 0) return {0, Fault::none};
    if (b.fault != Fault::none) return b;
    switch (op) {
      case Op::either:
      case Op::both: return {b.number != 0, Fault::none};
      case Op::equal: return {a.number == b.number, Fault::none};
      case Op::unequal: return {a.number != b.number, Fault::none};
      case Op::less: return {a.number < b.number, Fault::none};
      case Op::at_most: return {a.number <= b.number, Fault::none};
      case Op::more: return {a.number > b.number, Fault::none};
      case Op::at_least: return {a.number >= b.number, Fault::none};
      case Op::min: return a.number < b.number ? a : b;
      case Op::max: return a.number > b.number ? a : b;
      default: return arithmetic(op, a.number, b.number);
    }
  }

  static Value arithmetic(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    bool overflow = false;
    if (op == Op::add) {
      overflow = __builtin_add_overflow(a, b, &value);
    } else if (op == Op::subtract) {
      overflow = __builtin_sub_overflow(a, b, &value);
    } else if (op == Op::multiply) {
      overflow = __builtin_mul_overflow(a, b, &value);
    } else if (b == 0) {
      return {0, Fault::zero_divisor};
    } else if (a == INT64_MIN && b == -1) {
      overflow = true;
    } else if (op == Op::divide) {
      value = a / b;
    } else if (op == Op::remainder) {
      value = a % b;
    } else {
      value = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
      if (op == Op::round_up) overflow = __builtin_mul_overflow(value, b, &value);
    }
    return {value, overflow ? Fault::overflow : Fault::none};
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
    binary(0);
    skip_space();
    if (at_ < text_.size()) fail("unexpected text");
    error = std::move(failed_);
    return error.empty() ? std::move(steps_) : std::vector<Step>();
  }

 private:
  struct Operator {
    std::size_t level;  ///< higher ones bind closer
    std::string_view token;
    Op op;
  };
  static constexpr Operator operators[] = {
      {0, "||", Op::either},  {1, "&&", Op::both},    {2, "==", Op::equal},
      {2, "!=", Op::unequal}, {3, "<=", Op::at_most}, {3, ">=", Op::at_least},
      {3, "<", Op::less},     {3, ">", Op::more},     {4, "+", Op::add},
      {4, "-", Op::subtract}, {5, "*", Op::multiply}, {5, "/", Op::divide},
      {5, "%", Op::remainder}};
  static constexpr std::size_t levels = 6;

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
  const Operator* take_operator(std::size_t level) {
    for (const Operator& one : operators) {
      if (failed_.empty() && one.level == level && take(one.token)) return &one;
    }
    return nullptr;
  }
  void add(Op op, std::int64_t value = 0) { steps_.push_back({op, value}); }

  void binary(std::size_t level) {
    if (level == levels) return unary();
    if (++depth_ > 400) fail("nested too deeply");
    binary(level + 1);
    while (const Operator* const found = take_operator(level)) {
      binary(level + 1);
      add(found->op);
    }
    --depth_;
  }
  void unary() {
    if (!failed_.empty()) return;
    for (const auto& [token, op] : {std::pair("!", Op::invert), std::pair("-", Op::negate)}) {
      if (!take(token)) continue;
      unary();
      return add(op);
    }
    primary();
  }
  void primary() {
    if (take("(")) {
      binary(0);
      if (!take(")")) fail("missing ')'");
      return;
    }
    const std::string_view word = take_word();
    if (word.empty()) {
      fail(at_ < text_.size() ? "unexpected character" : "something is missing");
    } else if (word[0] >= '0' && word[0] <= '9') {
      number(word);
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
  void number(std::string_view word) {
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stopped, code] = std::from_chars(word.data(), end, value);
    if (code != std::errc() || stopped != end) fail("not a 64-bit integer");
    add(Op::number, value);
  }
  void call(std::string_view name) {
    if (name == "occupancy") return occupancy();
    Op op = Op::number;
    for (const auto& [known, function] :
         {std::pair("min", Op::min), std::pair("max", Op::max), std::pair("ceil_div", Op::ceil_div),
          std::pair("round_up", Op::round_up)}) {
      if (name == known) op = function;
    }
    if (op == Op::number) fail("unknown function");
    binary(0);
    if (!take(",")) fail("missing ','");
    binary(0);
    if (!take(")")) fail("missing ')'");
    add(op);
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
