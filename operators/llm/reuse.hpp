#pragma once
// Measures how much of a child's code its ancestors had and dropped.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace ke {

/// Hashes of lines without blanks at their ends. Excludes lines without a letter or digit, which
/// every kernel has.
using LineSet = std::set<std::uint64_t>;
LineSet line_set(std::string_view source);

struct LineReuse {
  std::int64_t added = 0;         ///< lines of the child that its parent lacks
  std::int64_t reintroduced = 0;  ///< added lines that an older ancestor had
};

/// `deleted`: lines of ancestors; those that the parent still has do not count.
LineReuse line_reuse(const LineSet& child, const LineSet& parent, const LineSet& deleted);

/// Equal for sources that differ only in comments and white space. Declaration lines, `// @...` or
/// `# @...`, count.
std::uint64_t code_hash(std::string_view source);

/// A novelty filter's data at the operator's start, as text for the operator's state.
struct KnownCode {
  std::set<std::uint64_t> judged;  ///< code_hash of kernels
  LineSet deleted;                 ///< lines of the parent's ancestors

  std::string text() const;
  /// The inverse of text(). Empty for invalid text.
  static KnownCode parse(std::string_view text);
};

}  // namespace ke
