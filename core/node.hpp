#pragma once
// A configuration document as a tree of texts and their places; Params interprets it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// A position in a file. Line and column count from 1.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  /// The place as "file:line:col", or "file" when there is no line (an override of the command
  /// line).
  std::string text() const;
};

/// One node. Scalars keep their text as written and have no type yet.
struct Node {
  enum class Kind { null, scalar, list, map };
  /// One `key: value` of a map, with the place of the key.
  struct Entry;

  Kind kind = Kind::null;
  Place place;
  std::string scalar;
  bool quoted = false;  ///< written in quotes: never a number or a bool
  bool stored = false;  ///< for documents: a stored run's configuration, see Params::added
  std::vector<Node> items;
  std::vector<Entry> entries;

  /// The value of a key; null when absent or when this is not a map.
  const Node* find(std::string_view key) const;
  /// Sets the value at a path `a.b.c` (list positions as numbers); creates missing maps.
  void set(std::string_view path, Node value);
};

struct Node::Entry {
  std::string key;
  Place place;
  Node value;
};

}  // namespace ke
