#pragma once
// Adapts the indentation of new lines to the file.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "operators/llm/lines.hpp"

namespace ke {

/// Maps the indentation of a SEARCH text to that of the matching lines.
class IndentMap {
 public:
  /// The lines must be equal except for blanks at both ends.
  IndentMap(std::span<const Line> search, std::span<const Line> found);

  /// Whether equal indentation always maps to equal indentation; otherwise the structure differs.
  bool consistent() const { return consistent_; }

  /// The line with the file's indentation: maps the longest known prefix of its own, or else shifts
  /// it like the shallowest known one.
  std::string apply(std::string_view line) const;

 private:
  std::map<std::string_view, std::string_view> map_;
  bool consistent_ = true;
};

}  // namespace ke
