#include "experiments/study/sweep/axis.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace ke {
namespace {

SweepAxis read_axis(const Node::Entry& entry, std::vector<std::string>& errors) {
  SweepAxis axis{entry.key, std::string(split(entry.key, '.').back()), entry.place, {}, {}};
  const Node* values = &entry.value;
  if (entry.value.kind == Node::Kind::map) {
    values = entry.value.find("values");
    for (const auto& [key, place, value] : entry.value.entries) {
      if (key == "when" && value.kind == Node::Kind::map) axis.when = value.entries;
      if (key != "when" && key != "values") {
        fail_at(
            errors, place,
            fmt::format("unknown key '{}' of axis '{}'; it has values and when", key, entry.key));
      }
    }
  }
  if (values == nullptr || values->kind != Node::Kind::list || values->items.empty()) {
    fail_at(errors, entry.value.place,
            fmt::format("'{}' must be a list of values, or {{values: [...], "
                        "when: {{key: value}}}}",
                        entry.key));
    return axis;
  }
  axis.values = values->items;
  return axis;
}

}  // namespace

void fail_at(std::vector<std::string>& errors, const Place& place, const std::string& what) {
  errors.push_back(fmt::format("{}: {}", place.text(), what));
}

std::string file_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    word += plain ? c : '_';
  }
  return word;
}

std::vector<SweepAxis> read_axes(const Node* node, std::string_view key,
                                 std::vector<std::string>& errors) {
  std::vector<SweepAxis> axes;
  if (node == nullptr) return axes;
  if (node->kind != Node::Kind::map) {
    fail_at(errors, node->place, fmt::format("'{}' must be a map of keys to lists of values", key));
    return axes;
  }
  for (const Node::Entry& entry : node->entries) axes.push_back(read_axis(entry, errors));
  for (SweepAxis& axis : axes) {
    for (const SweepAxis& other : axes) {
      const bool clash = &other != &axis && split(other.path, '.').back() == axis.label;
      if (clash) axis.label = axis.path;
    }
  }
  return axes;
}

std::string label_of(const SweepAxis& axis, std::size_t row) {
  const Node& value = axis.values[row];
  if (value.kind != Node::Kind::scalar) return {};
  return file_word(axis.label) + "_" + file_word(value.scalar);
}

}  // namespace ke
