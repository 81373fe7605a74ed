#include "experiments/view/report/build_words.hpp"

#include "fitness/host/build/compiler.hpp"

namespace ke {

std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> judge_flags() {
  std::vector<std::string> flags = fixed_flags();
  std::erase_if(flags, [](const std::string& flag) {
    return flag.starts_with("-fopt-info") || flag.starts_with("-fdiagnostics");
  });
  return flags;
}

}  // namespace ke
