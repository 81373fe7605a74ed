#pragma once
// The page of reports, as npm bundled it when this program was built.

#include <string_view>

namespace ke {

/// The document before and after its data; both empty when the build had no npm.
struct PageTemplate {
  std::string_view head;
  std::string_view tail;
};
PageTemplate page_template();

}  // namespace ke
