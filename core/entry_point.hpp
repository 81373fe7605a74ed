#pragma once
// Whether code holds the function that the judge calls.

#include <string_view>

namespace ke {

/// Whether the code has `name` as a word. Every code mentions "".
bool mentions(std::string_view code, std::string_view name);

/// Whether the code has `name`, parameters in parentheses and then `{`, or `:` after `def name`.
/// Looks at no more than this: comments and strings count as code. Linear.
bool defines(std::string_view code, std::string_view name);

/// Whether a macro of the code may define `name`: it is an argument in a line that is no comment,
/// or
/// `##` joins its beginning or its end to something. The compiler knows; this asks for little.
bool macro_may_define(std::string_view code, std::string_view name);

}  // namespace ke
