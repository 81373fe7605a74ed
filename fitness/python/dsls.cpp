#include "fitness/python/dsls.hpp"

#include "core/language.hpp"

namespace ke::python {

std::vector<std::string> dsl_names() {
  std::vector<std::string> names;
  for (const Language& language : languages()) {
    if (language.compiler == "python") names.push_back(language.name);
  }
  return names;
}

}  // namespace ke::python
