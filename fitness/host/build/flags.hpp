#pragma once
// Compiler flags that a candidate may ask for.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// What became of a list of flags.
struct FlagCheck {
  std::vector<std::string> accepted;     ///< in order, to be passed to the compiler
  std::optional<std::string> forbidden;  ///< the first flag that is not on the list
};

/// Sorts candidate flags by the one allow-list of this program (flags.cpp). Flags that only matter
/// to a link driver (-ldl, -lm, -pthread, -shared, -fPIC) are accepted and dropped.
FlagCheck check_flags(const std::vector<std::string>& flags);

/// Whether `-DNAME=VALUE` is harmless: an identifier, and a value of letters, digits, `_.+-`.
bool is_allowed_define(std::string_view name, std::string_view value);

}  // namespace ke
