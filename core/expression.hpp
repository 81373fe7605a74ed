#pragma once
// Integer expressions over names: @require constraints, cost formulas, launch plans.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// A parsed formula (formula.hpp), with its text for messages. An occupancy is looked up by exactly
/// this text: "occupancy(stage)".
class Expression {
 public:
  /// Value of a name, or nothing when it is unknown.
  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

  /// Errors: a syntax error, with what and where; a text of more than 2048 characters.
  static Result<Expression> parse(std::string_view text);
  /// Errors: unknown name, division by zero, overflow; each with the expression's text. A
  /// default-constructed expression has no value.
  Result<std::int64_t> evaluate(const Lookup& lookup) const;
  const std::string& text() const { return text_; }
  /// The text with known names replaced by "name=value": "ceil_div(n=4096, 0)".
  std::string with_values(const Lookup& lookup) const;
  /// The names used, unique and sorted; an occupancy as its whole text, without blanks.
  std::vector<std::string> names() const;

 private:
  struct Parsed;
  std::string text_;
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace ke
