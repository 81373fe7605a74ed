#pragma once
// Parses one declaration of a launch plan: words, then `key=value` pairs.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "fitness/plan/launch_plan.hpp"

namespace ke {

/// One `// @word ...` or `# @word ...` with its continuation lines.
struct Declaration {
  std::string file;
  std::string word;  ///< "@launch"
  std::string text;  ///< the rest after the word
  int line = 0;

  Error error(std::string_view what) const;
  /// Parses an expression of this declaration.
  Result<PlacedExpression> expression(std::string_view what, std::string_view text) const;
  /// Parses "(a, b)" or a single "a"; appends `names` to `what` for messages: grid.x, grid.y.
  Result<std::vector<PlacedExpression>> expressions(std::string_view what, std::string_view text,
                                                    std::string_view names) const;
};

/// All declarations of a source, except those for other readers (@task, @knob, ...). Errors: a
/// continuation without a beginning; words that plans refuse, or nearly match a known one.
Result<std::vector<Declaration>> read_declarations(std::string_view name, std::string_view source);

/// `key=value` pairs and flags after the leading words.
struct KeyValues {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::vector<std::string> flags;

  const std::string* find(std::string_view key) const;
  bool has_flag(std::string_view flag) const;
};

/// Splits at blanks that precede known keys and flags, outside parentheses. Errors: an unknown word
/// or key, a duplicate key, unbalanced parentheses.
Result<KeyValues> read_key_values(const Declaration& at, std::string_view text,
                                  const std::vector<std::string>& keys,
                                  const std::vector<std::string>& flags);

/// Splits "(a, f(b, c))" at commas outside inner parentheses; text without parentheses is one part.
std::vector<std::string> split_list(std::string_view text);

}  // namespace ke
