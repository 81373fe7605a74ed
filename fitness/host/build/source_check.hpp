#pragma once
// A first, cheap look at a candidate's text. Never the only defence: the compiler's file system
// holds the toolchain alone, and the object is checked afterwards.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// What a scan of the text found.
struct SourceCheck {
  std::optional<std::string> forbidden;  ///< reason code: forbidden_include or forbidden_directive
  std::string detail;                    ///< the offending line, capped
  int line = 0;
  std::vector<std::string> policy_flags;  ///< optimize/target pragmas and attributes, as written
};

/// Comments and strings do not hide or fake anything; includes with absolute or parent paths and
/// `.incbin` are forbidden. O(n).
SourceCheck check_source(std::string_view source);

}  // namespace ke
