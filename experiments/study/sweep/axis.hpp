#pragma once
// Axes of a sweep: the lists of values below `grid` and `zip`. Private to experiments/study/sweep.

#include <string>
#include <string_view>
#include <vector>

#include "core/node.hpp"

namespace ke {

/// `path: [v1, v2]` of a grid or a zip.
struct SweepAxis {
  std::string path;
  std::string label;  ///< last part of the path; the full path if two axes share that part
  Place place;
  std::vector<Node> values;
  std::vector<Node::Entry> when;
};

/// Logs an error as `file:line:col: what`.
void fail_at(std::vector<std::string>& errors, const Place& place, const std::string& what);

/// Reads `grid` or `zip`, as `key` says; `node` may be null. Logs malformed axes.
std::vector<SweepAxis> read_axes(const Node* node, std::string_view key,
                                 std::vector<std::string>& errors);

/// Label such as `count_4`; nothing for a list or a map, which has no short name.
std::string label_of(const SweepAxis& axis, std::size_t row);

/// Replaces characters that are unsuitable for a file name by '_'.
std::string file_word(std::string_view text);

}  // namespace ke
