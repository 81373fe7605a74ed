#pragma once
// Options in the form of a document, and what reads them.

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/params.hpp"
#include "core/registry.hpp"

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

/// Converts {"a.b": "text"} to nested maps.
inline Node text_options(const std::map<std::string, std::string>& texts) {
  std::map<std::string, Node> values;
  for (const auto& [path, text] : texts) values[path] = scalar(text);
  return options(values);
}

/// Makes the component of that name, which must know and accept all options.
template <typename Factory>
auto make_component(std::span<const Component<Factory>> table, std::string_view name,
                    const Node& options = {}) {
  ParamLog log;
  Params params(&options, "", log);
  auto made = find_component(table, name)->make(params);
  log.report_unknown();
  EXPECT_TRUE(log.errors.empty()) << log.errors.front();
  return made;
}

}  // namespace ke::test
