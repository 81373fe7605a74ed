#pragma once
// Splits text into lines.

#include <span>
#include <string>
#include <string_view>
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

}  // namespace ke
