#include "core/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>

#include "core/text.hpp"

namespace ke {

struct Expression::Node {
  std::string op;  ///< operator or function; "" = number, "name" = the name in `name`
  std::string name;
  std::int64_t number = 0;
  std::vector<std::shared_ptr<const Node>> children;
};

namespace {

using NodePtr = std::shared_ptr<const Expression::Node>;

// Parsing, evaluation and destruction recurse as deep as a chain of terms; the length bounds it.
constexpr std::size_t longest_text = 2048;

constexpr std::array<std::array<std::string_view, 4>, 6> levels = {
    {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};

/// Recursive descent, one method per kind of term. `failed_` holds the first error.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<NodePtr> parse() {
    NodePtr root = binary(0);
    skip_space();
    if (failed_.empty() && at_ < text_.size()) fail("unexpected text");
    if (!failed_.empty()) return Error{Failure::config, failed_};
    return root;
  }

 private:
  void fail(std::string_view what) {
    if (failed_.empty()) {
      failed_ = fmt::format("expression '{}': {} at position {}", text_, what, at_ + 1);
    }
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  std::string_view take_operator(std::size_t level) {
    for (const std::string_view op : levels[level]) {
      if (!op.empty() && take(op)) return op;
    }
    return {};
  }
  NodePtr binary(std::size_t level) {
    if (level == levels.size()) return unary();
    if (++depth_ > 400) fail("nested too deeply");
    NodePtr left = binary(level + 1);
    while (failed_.empty()) {
      const std::string_view op = take_operator(level);
      if (op.empty()) break;
      left = make(op, {left, binary(level + 1)});
    }
    --depth_;
    return left;
  }
  NodePtr unary() {
    if (!failed_.empty()) return make("", {});
    if (take("!")) return make("!", {unary()});
    if (take("-")) return make("neg", {unary()});
    return primary();
  }
  NodePtr primary() {
    skip_space();
    if (take("(")) {
      NodePtr inner = binary(0);
      if (!take(")")) fail("missing ')'");
      return inner;
    }
    const std::string_view word = take_word();
    if (word.empty()) {
      fail(at_ < text_.size() ? "unexpected character" : "something is missing");
      return make("", {});
    }
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return number(word);
    return take("(") ? call(word) : named(std::string(word));
  }
  std::string_view take_word() {
    const std::string_view rest = text_.substr(at_);
    const auto end = std::ranges::find_if_not(rest, may_stand_in_identifier);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    at_ += word.size();
    return word;
  }
  NodePtr number(std::string_view word) {
    const auto value = number_from<std::int64_t>(word);
    if (!value) fail("not a 64-bit integer");
    return std::make_shared<Expression::Node>(Expression::Node{"", "", value.value_or(0), {}});
  }
  NodePtr call(std::string_view name) {
    if (name == "occupancy") return occupancy();
    if (name != "min" && name != "max" && name != "ceil_div" && name != "round_up") {
      fail("unknown function");
    }
    NodePtr first = binary(0);
    if (!take(",")) fail("missing ','");
    NodePtr second = binary(0);
    if (!take(")")) fail("missing ')'");
    return make(name, {first, second});
  }
  // The device's occupancy for a stage is an external value, like a name.
  NodePtr occupancy() {
    skip_space();
    const std::string_view stage = take_word();
    if (stage.empty()) fail("missing name of a stage");
    if (!take(")")) fail("missing ')'");
    return named(fmt::format("occupancy({})", stage));
  }
  static NodePtr named(std::string name) {
    return std::make_shared<Expression::Node>(Expression::Node{"name", std::move(name), 0, {}});
  }
  static NodePtr make(std::string_view op, std::vector<NodePtr> children) {
    return std::make_shared<Expression::Node>(
        Expression::Node{std::string(op), "", 0, std::move(children)});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string failed_;
};

Result<std::int64_t> arithmetic(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  bool overflow = false;
  if (op == "+")
    overflow = __builtin_add_overflow(a, b, &value);
  else if (op == "-")
    overflow = __builtin_sub_overflow(a, b, &value);
  else if (op == "*")
    overflow = __builtin_mul_overflow(a, b, &value);
  else {
    if (b == 0) return Error{Failure::config, "division by zero"};
    overflow = b == -1 && a == std::numeric_limits<std::int64_t>::min();
    if (!overflow) {
      if (op == "/")
        value = a / b;
      else if (op == "%")
        value = a % b;
      else
        value = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
      if (op == "round_up") overflow = __builtin_mul_overflow(value, b, &value);
    }
  }
  if (overflow) return Error{Failure::config, "64-bit overflow"};
  return value;
}

std::optional<std::int64_t> comparison(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  return std::nullopt;
}

Result<std::int64_t> evaluate_node(const Expression::Node& node, const Expression::Lookup& lookup) {
  if (node.op.empty()) return node.number;
  if (node.op == "name") {
    if (const auto value = lookup(node.name)) return *value;
    return Error{Failure::config, fmt::format("unknown name '{}'", node.name)};
  }
  KE_TRY(const std::int64_t a, evaluate_node(*node.children[0], lookup));
  if (node.op == "!") return std::int64_t{a == 0};
  if (node.op == "neg") return arithmetic("-", 0, a);
  if (node.op == "||" && a != 0) return std::int64_t{1};
  if (node.op == "&&" && a == 0) return std::int64_t{0};
  KE_TRY(const std::int64_t b, evaluate_node(*node.children[1], lookup));
  if (node.op == "||" || node.op == "&&") return std::int64_t{b != 0};
  if (const auto truth = comparison(node.op, a, b)) return *truth;
  return arithmetic(node.op, a, b);
}

void collect(const Expression::Node& node, std::set<std::string>& names) {
  if (node.op == "name") names.insert(node.name);
  for (const auto& child : node.children) collect(*child, names);
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > longest_text) {
    return Error{Failure::config, fmt::format("expression '{}...': {} characters, at most {}",
                                              text.substr(0, 40), text.size(), longest_text)};
  }
  KE_TRY(NodePtr root, Parser(text).parse());
  Expression expression;
  expression.text_ = text;
  expression.root_ = std::move(root);
  return expression;
}

Result<std::int64_t> Expression::evaluate(const Lookup& lookup) const {
  if (!root_) return Error{Failure::config, "an expression that was never parsed has no value"};
  auto value = evaluate_node(*root_, lookup);
  if (!value)
    return Error{Failure::config, fmt::format("expression '{}': {}", text_, value.error().message)};
  return value;
}

std::string Expression::with_values(const Lookup& lookup) const {
  std::string shown;
  for (std::size_t at = 0; at < text_.size();) {
    std::size_t end = at + 1;
    if (may_stand_in_identifier(text_[at])) {
      while (end < text_.size() && may_stand_in_identifier(text_[end])) ++end;
      std::string word = text_.substr(at, end - at);
      const std::size_t close = text_.find(')', end);
      if (word == "occupancy" && close != text_.npos) {
        end = close + 1;
        word = text_.substr(at, end - at);
        std::erase(word, ' ');
      }
      shown += word;
      if (const auto value = lookup(word)) shown += fmt::format("={}", *value);
    } else {
      shown += text_[at];
    }
    at = end;
  }
  return shown;
}

std::vector<std::string> Expression::names() const {
  std::set<std::string> names;
  collect(*root_, names);
  return {names.begin(), names.end()};
}

}  // namespace ke
