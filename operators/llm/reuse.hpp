#pragma once
// How much of a child's code its ancestors had and gave up.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Hashes of lines without blanks at their ends. Lines without a letter or digit are left out:
/// every kernel has them.
using LineSet = std::set<std::uint64_t>;
LineSet line_set(std::string_view source);

struct LineReuse {
  std::int64_t added = 0;         ///< lines of the child that its parent lacks
  std::int64_t reintroduced = 0;  ///< of them lines that an older ancestor had
};

/// `deleted`: lines of ancestors; those that the parent has do not count.
LineReuse line_reuse(const LineSet& child, const LineSet& parent, const LineSet& deleted);

/// Equal for sources that differ in comments and white space alone. Lines that declare something,
/// `// @...` or `# @...`, count.
std::uint64_t code_hash(std::string_view source);

/// What a novelty filter knows when an operator starts, as text that its state can carry.
struct KnownCode {
  std::set<std::uint64_t> judged;  ///< code_hash of kernels
  LineSet deleted;                 ///< lines of the parent's ancestors

  std::string text() const;
  /// The inverse. Empty for text that it does not understand.
  static KnownCode parse(std::string_view text);
};

}  // namespace ke
