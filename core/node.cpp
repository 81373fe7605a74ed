#include "core/node.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace ke {
namespace {

/// The child at one step of a path; created if absent.
Node& child(Node& node, std::string_view key, const Place& place) {
  if (node.kind == Node::Kind::list) {
    const auto index = number_from<std::size_t>(key);
    if (index && *index < node.items.size()) return node.items[*index];
  }
  if (node.kind != Node::Kind::map) {
    node.kind = Node::Kind::map;
    node.items.clear();
    node.scalar.clear();
  }
  for (auto& entry : node.entries) {
    if (entry.key == key) return entry.value;
  }
  node.entries.push_back({std::string(key), place, Node{}});
  node.entries.back().value.place = place;
  return node.entries.back().value;
}

}  // namespace

std::string Place::text() const {
  return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column);
}

const Node* Node::find(std::string_view key) const {
  for (const auto& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

void Node::set(std::string_view path, Node value) {
  Node* at = this;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    at = &child(*at, path.substr(0, dot), value.place);
    path = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
  }
  *at = std::move(value);
}

}  // namespace ke
