#pragma once
// A first, cheap check of a candidate's text. Never the only defence: the compiler's file system
// holds only the toolchain, and the object is checked afterwards.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The result of scanning the text.
struct SourceCheck {
  std::optional<std::string> forbidden;  ///< reason code: forbidden_include or forbidden_directive
  std::string detail;                    ///< the offending line, capped
  int line = 0;
  std::vector<std::string> policy_flags;  ///< optimize/target pragmas and attributes, as written
};

/// Forbids includes with absolute or parent paths and `.incbin`; comments and strings can neither
/// hide nor fake them. O(n).
SourceCheck check_source(std::string_view source);

}  // namespace ke
