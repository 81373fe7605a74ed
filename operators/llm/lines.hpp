#pragma once
// Splits text into lines, and finds sequences of lines.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ke {

/// One line of a text, as views of that text.
struct Line {
  std::string_view text;   ///< without its line end (LF or CRLF)
  std::string_view whole;  ///< with its line end; the last line of a text may have none
};

/// The lines of a text, without a byte order mark before the first. "" has none.
std::vector<Line> split_lines(std::string_view text);

/// Converts CRLF and lone CR to LF.
std::string with_line_feeds(std::string_view text);

/// Removes blanks at the end.
std::string_view trim_right(std::string_view text);

/// The blanks at the start of a line.
std::string_view indentation(std::string_view line);

bool is_blank(std::string_view text);

/// The lines without blank ones at both ends.
std::span<const Line> without_blank_ends(std::span<const Line> lines);

/// Whether all lines are equal, ignoring blanks at line ends.
bool same_lines(std::span<const Line> a, std::span<const Line> b);

/// Valid UTF-8 without NUL (Unicode, table 3-7).
bool is_text(std::string_view bytes);

/// Allowed differences between lines that count as equal.
enum class MatchTolerance { nothing, line_ends, indentation };

/// The part of a line that is compared.
std::string_view compared(std::string_view line, MatchTolerance tolerance);

/// An index of the lines of one source by their compared part.
class LineIndex {
 public:
  LineIndex(std::span<const Line> lines, MatchTolerance tolerance);

  static constexpr std::size_t most_found = 256;

  MatchTolerance tolerance() const { return tolerance_; }

  /// Positions at which the lines of `search` occur consecutively: first lines, ascending, at most
  /// `most_found`. Starts from the rarest line: linear in practice. An empty search finds nothing.
  std::vector<std::size_t> find(std::span<const Line> search) const;

  /// Positions of one line, ascending.
  std::span<const std::size_t> places(std::string_view line) const;

 private:
  MatchTolerance tolerance_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
  std::vector<const std::vector<std::size_t>*> ids_;  ///< per line; equal lines have equal pointers
};

}  // namespace ke
