#include "experiments/text/opponent_name.hpp"

#include <algorithm>

namespace ke {

std::string opponent_name(std::string_view name, std::string_view anchor) {
  if (name == "anchor" && !anchor.empty()) name = anchor;
  std::string text(name);
  if (name.starts_with("pytorch_")) std::ranges::replace(text, '_', ' ');
  return text;
}

std::string the_anchor(std::string_view anchor) {
  return anchor.empty() ? "the anchor" : opponent_name(anchor);
}

}  // namespace ke
