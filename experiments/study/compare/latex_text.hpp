#pragma once
// Text of any kind as LaTeX that pdflatex typesets without further packages. Private to compare.

#include <string>
#include <string_view>

namespace ke {

/// Escapes what LaTeX reads as commands. Letters of European languages stay, Greek and common
/// mathematical signs become mathematics, and characters that pdflatex lacks become `[U+65E5]`.
std::string latex_text(std::string_view text);

/// The same for the cell of a narrow column: words may break behind an underscore and, if there is
/// no other way, behind so many letters.
std::string latex_cell(std::string_view text, std::size_t letters);

/// A number with a true minus sign; zero has none.
std::string latex_number(double value, int decimals);

}  // namespace ke
