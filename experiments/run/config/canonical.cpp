#include <string>
#include <vector>

#include "core/text.hpp"
#include "experiments/run/config/document.hpp"

namespace ke {
namespace {

/// Splits the text of a list at commas; a backslash escapes a comma or a backslash.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      items.emplace_back();
    } else {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      items.back() += text[i];
    }
  }
  return items;
}

/// Parses `[a, b]` as a list and any other text, including "", as a scalar.
Node value_node(std::string_view text, const Place& place) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return scalar_node(text, place);
  Node list;
  list.kind = Node::Kind::list;
  list.place = place;
  text = text.substr(1, text.size() - 2);
  if (text.empty()) return list;
  for (const std::string& item : items_of(text)) {
    list.items.push_back(scalar_node(trim(item), place));
  }
  return list;
}

/// Turns maps whose keys are all numbers back into lists.
void restore_lists(Node& node) {
  for (auto& entry : node.entries) restore_lists(entry.value);
  for (const auto& entry : node.entries) {
    if (entry.key.find_first_not_of("0123456789") != std::string::npos) return;
  }
  if (node.kind != Node::Kind::map || node.entries.empty()) return;
  std::vector<Node> items(node.entries.size());
  for (auto& entry : node.entries) {
    const std::size_t index = std::stoul(entry.key);
    if (index < items.size()) items[index] = std::move(entry.value);
  }
  node.kind = Node::Kind::list;
  node.items = std::move(items);
  node.entries.clear();
}

}  // namespace

Node scalar_node(std::string_view text, const Place& place) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.place = place;
  node.scalar = std::string(text);
  return node;
}

Node document_of_canonical(const std::string& canonical, const std::string& place) {
  const Place at{place, 0, 0};
  Node document;
  document.kind = Node::Kind::map;
  document.place = at;
  for (const std::string_view line : split(canonical, '\n')) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos || equals + 3 > line.size()) continue;
    document.set(line.substr(0, equals), value_node(line.substr(equals + 3), at));
  }
  restore_lists(document);
  return document;
}

}  // namespace ke
