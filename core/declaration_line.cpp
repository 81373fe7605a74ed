#include "core/declaration_line.hpp"

#include "core/text.hpp"

namespace ke {

std::string_view declaration_in(std::string_view line) {
  line = trim(line);
  const std::size_t signs = line.starts_with("//") ? 2 : line.starts_with('#') ? 1 : 0;
  const std::string_view said = trim(line.substr(signs));
  return signs > 0 && said.starts_with('@') ? said : std::string_view();
}

}  // namespace ke
