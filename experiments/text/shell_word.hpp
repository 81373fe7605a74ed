#pragma once
// Words of commands that people copy or scripts run.

#include <string>

namespace ke {

/// The word in single quotes for sh.
std::string shell_quoted(const std::string& word);

/// The word as it is where sh takes it for one word, else in quotes.
std::string shell_word(const std::string& word);

}  // namespace ke
