#pragma once
// Gives new lines the indentation of the file.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "operators/llm/lines.hpp"

namespace ke {

/// How the indentation of a SEARCH text maps to that of the lines it was found at.
class IndentMap {
 public:
  /// The lines must be equal but for blanks at both ends.
  IndentMap(std::span<const Line> search, std::span<const Line> found);

  /// Whether equal indentation always maps to equal indentation. Else the structure differs.
  bool consistent() const { return consistent_; }

  /// The line as it would be indented in the file: by the known indentation that its own begins
  /// with, else shifted as the shallowest known one is.
  std::string apply(std::string_view line) const;

 private:
  std::map<std::string_view, std::string_view> map_;
  bool consistent_ = true;
};

}  // namespace ke
