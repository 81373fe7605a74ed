#pragma once
// The text of one declaration of a launch plan, taken apart: words, then `key=value` pairs.

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
  std::string text;  ///< what follows
  int line = 0;

  Error error(std::string_view what) const;
  /// An expression of this declaration.
  Result<PlacedExpression> expression(std::string_view what, std::string_view text) const;
  /// Expressions of "(a, b)" or of a single "a"; `names` are appended to `what`: grid.x, grid.y.
  Result<std::vector<PlacedExpression>> expressions(std::string_view what, std::string_view text,
                                                    std::string_view names) const;
};

/// All declarations of a source, those of other readers (@task, @knob, ...) left out.
/// Errors: a continuation without a beginning; words that plans refuse or nearly know.
Result<std::vector<Declaration>> read_declarations(std::string_view name, std::string_view source);

/// `key=value` pairs and flags behind the leading words.
struct KeyValues {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::vector<std::string> flags;

  const std::string* find(std::string_view key) const;
  bool has_flag(std::string_view flag) const;
};

/// Splits at blanks outside of parentheses in front of known keys and flags. Errors: an unknown
/// word or key, a key that stands twice, parentheses that do not pair up.
Result<KeyValues> read_key_values(const Declaration& at, std::string_view text,
                                  const std::vector<std::string>& keys,
                                  const std::vector<std::string>& flags);

/// Parts of "(a, f(b, c))" between commas outside of inner parentheses; a single part without
/// parentheses is itself.
std::vector<std::string> split_list(std::string_view text);

}  // namespace ke
