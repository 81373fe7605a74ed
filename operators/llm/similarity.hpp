#pragma once
// How alike two sources are, and how much of a child's code its ancestors had and dropped.

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Hashes of all sequences of `size` tokens of C-like source, sorted and unique [Broder1997].
/// Comments, white space and line splices are not tokens; a string is one token, each sign is one.
/// A source with fewer tokens is a single sequence. O(n log n).
std::vector<std::uint64_t> shingles(std::string_view source, std::size_t size = 4);

/// Jaccard index of two sets of shingles, in [0, 1]; 1 for two empty sets.
double similarity(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace ke
