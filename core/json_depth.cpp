#include "core/json_depth.hpp"

namespace ke {

bool is_shallow(std::string_view json, std::size_t deepest) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (depth > deepest) return false;
  }
  return true;
}

}  // namespace ke
