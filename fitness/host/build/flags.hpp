#pragma once
// Compiler flags that a candidate may use.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The result of checking a list of flags.
struct FlagCheck {
  std::vector<std::string> accepted;     ///< in order, to pass to the compiler
  std::optional<std::string> forbidden;  ///< the first flag that is not allowed
};

/// Checks candidate flags against the program's only allow-list (flags.cpp). Accepts but drops
/// flags that matter only to a link driver (-ldl, -lm, -pthread, -shared, -fPIC).
FlagCheck check_flags(const std::vector<std::string>& flags);

/// The allow-list in a few words, for people and models.
std::string_view allowed_flags();

/// Whether `-DNAME=VALUE` is harmless: an identifier, and a value of letters, digits, `_.+-`.
bool is_allowed_define(std::string_view name, std::string_view value);

}  // namespace ke
