#pragma once
// The files of the folder core/languages, embedded in the binary.

#include <span>
#include <string_view>

namespace ke {

struct LanguageText {
  std::string_view name;  ///< file name without its ending
  std::string_view text;
};

/// All files, sorted by name.
std::span<const LanguageText> language_texts();

}  // namespace ke
