#pragma once
// Axes of a sweep: the lists of values below `grid` and `zip`. Private to experiments/sweep.

#include <string>
#include <string_view>
#include <vector>

#include "core/node.hpp"

namespace ke {

/// `path: [v1, v2]` of a grid or a zip.
struct SweepAxis {
  std::string path;
  std::string label;  ///< last part of the path, or all of it where two axes share that
  Place place;
  std::vector<Node> values;
  std::vector<Node::Entry> when;
};

/// Logs `file:line:col: what`.
void fail_at(std::vector<std::string>& errors, const Place& place, const std::string& what);

/// Reads `grid` or `zip` (`key` says which); `node` may be null. Malformed axes are logged.
std::vector<SweepAxis> read_axes(const Node* node, std::string_view key,
                                 std::vector<std::string>& errors);

/// `count_4`; nothing for a list or a map, which has no short name.
std::string label_of(const SweepAxis& axis, std::size_t row);

/// `text` with '_' for what should not stand in a file's name.
std::string file_word(std::string_view text);

}  // namespace ke
