#pragma once
// Checks whether source code defines the function that the judge calls.

#include <string_view>

namespace ke {

/// Whether the code contains `name` as a whole word. Always true for "".
bool mentions(std::string_view code, std::string_view name);

/// Whether the code contains `name`, parameters in parentheses and then `{`, or `:` after `def
/// name`. Checks only these tokens and does not skip comments and strings. Linear.
bool defines(std::string_view code, std::string_view name);

/// Whether a macro may define `name`: a line that is not a comment has it as an argument, or `##`
/// joins a prefix or a suffix of it to something. A permissive test; the compiler decides.
bool macro_may_define(std::string_view code, std::string_view name);

}  // namespace ke
