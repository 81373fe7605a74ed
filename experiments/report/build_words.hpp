#pragma once
// Words of the scripts that build kernels outside of the judge.

#include <string>
#include <vector>

namespace ke {

/// A word for sh, in single quotes.
std::string shell_word(const std::string& word);

/// The flags that every build of the judge gets; not those for its own messages.
std::vector<std::string> judge_flags();

}  // namespace ke
