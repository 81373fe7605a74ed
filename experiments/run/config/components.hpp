#pragma once
// Collects the components of all rooms in one form for `list`.

#include <string>
#include <string_view>
#include <vector>

#include "core/params.hpp"

namespace ke {

/// One component as `list` prints it, with the options that it declares itself.
struct ComponentInfo {
  std::string kind;  ///< operator | strategy | topology | archive | evaluator
  std::string name;
  std::string doc;
  std::vector<Option> options;
};

/// All components, sorted by kind and name.
std::vector<ComponentInfo> all_components();

}  // namespace ke
