#pragma once
// Kernels declare knobs and launch plans in comments that begin with an '@' word.

#include <string_view>

namespace ke {

/// "@word ..." when the line is a comment of C++ (`// @`) or Python (`# @`) with one, else "".
std::string_view declaration_in(std::string_view line);

}  // namespace ke
