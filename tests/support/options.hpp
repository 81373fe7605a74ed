#pragma once
// Options in the form of a document.

#include <map>
#include <string>
#include <vector>

#include "core/node.hpp"

namespace ke::test {

inline Node scalar(std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.scalar = std::move(text);
  return node;
}

inline Node list(const std::vector<std::string>& texts) {
  Node node;
  node.kind = Node::Kind::list;
  for (const std::string& text : texts) node.items.push_back(scalar(text));
  return node;
}

/// Converts {"a.b": value} to nested maps.
inline Node options(const std::map<std::string, Node>& values) {
  Node node;
  node.kind = Node::Kind::map;
  for (const auto& [path, value] : values) node.set(path, value);
  return node;
}

}  // namespace ke::test
