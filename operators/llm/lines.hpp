#pragma once
// Text as lines.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One line of a text; views of that text.
struct Line {
  std::string_view text;   ///< without its line end: LF or CRLF
  std::string_view whole;  ///< with it; the last line of a text may have none
};

/// The lines of a text, without a byte order mark before the first. "" has none.
std::vector<Line> split_lines(std::string_view text);

/// CRLF and lone CR become LF.
std::string with_line_feeds(std::string_view text);

/// Without blanks at its end.
std::string_view trim_right(std::string_view text);

/// The blanks that a line begins with.
std::string_view indentation(std::string_view line);

bool is_blank(std::string_view text);

/// The lines without blank ones at both ends.
std::span<const Line> without_blank_ends(std::span<const Line> lines);

/// Equal line by line, but for blanks at line ends.
bool same_lines(std::span<const Line> a, std::span<const Line> b);

/// Valid UTF-8 without NUL (Unicode, table 3-7).
bool is_text(std::string_view bytes);

}  // namespace ke
