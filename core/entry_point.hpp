#pragma once
// Whether code holds the function that the judge calls.

#include <string_view>

namespace ke {

/// Whether the code has `name` as a word. Every code mentions "".
bool mentions(std::string_view code, std::string_view name);

/// Whether the code has `name`, parameters in parentheses and then `{`, or `:` after `def name`.
/// Looks at no more than this: comments and strings count as code. Linear.
bool defines(std::string_view code, std::string_view name);

}  // namespace ke
