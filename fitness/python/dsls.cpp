#include "fitness/python/dsls.hpp"

#include <algorithm>

#include "core/language.hpp"

namespace ke::python {

std::vector<std::string> dsl_names() {
  std::vector<std::string> names;
  for (const Language& language : languages()) {
    if (language.compiler == "python") names.push_back(language.name);
  }
  return names;
}

bool is_dsl(std::string_view language) {
  const Language* found = find_language(language);
  return found != nullptr && found->compiler == "python";
}

}  // namespace ke::python
