#include "experiments/cli/python_verbs.hpp"

#include "experiments/run/python_package.hpp"

namespace ke {

const std::vector<std::string>& curve_currencies() {
  static const std::vector<std::string> names = {"evaluations", "proposals", "device_seconds",
                                                 "seconds"};
  return names;
}

Result<int> run_in_python(const std::string& verb, const Arguments& arguments, Console& console,
                          const std::vector<std::string>& more) {
  std::vector<std::string> words = arguments.words();
  words.insert(words.begin(), more.begin(), more.end());
  words.insert(words.begin(), verb);
  return print_python_package(words, console);
}

}  // namespace ke
