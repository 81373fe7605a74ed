#pragma once
// How kernels declare knobs and launch plans: in comments that begin with an '@' word.

#include <string_view>

namespace ke {

/// "@word ..." when a line is such a comment of C++ (`// @`) or Python (`# @`), else "".
std::string_view declaration_in(std::string_view line);

}  // namespace ke
