#pragma once
// Arguments of scripts that build kernels outside of the judge.

#include <string>
#include <vector>

namespace ke {

/// Quotes a word for sh, in single quotes.
std::string shell_word(const std::string& word);

/// Flags of every build of the judge, without those for its own messages.
std::vector<std::string> judge_flags();

}  // namespace ke
