#include "experiments/study/sweep/expand.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node.hpp"
#include "core/text.hpp"
#include "experiments/run/config/document.hpp"

namespace ke {
namespace {

/// Logs an error as `file:line:col: what`.
void fail_at(std::vector<std::string>& errors, const Place& place, const std::string& what) {
  errors.push_back(fmt::format("{}: {}", place.text(), what));
}

// Axes of a sweep: the lists of values below `grid` and `zip`.

/// `path: [v1, v2]` of a grid or a zip.
struct SweepAxis {
  std::string path;
  std::string label;  ///< last part of the path; the full path if two axes share that part
  Place place;
  std::vector<Node> values;
  std::vector<Node::Entry> when;
};

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

/// Replaces characters that are unsuitable for a file name by '_'.
std::string file_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    word += plain ? c : '_';
  }
  return word;
}

/// Reads `grid` or `zip`, as `key` says; `node` may be null. Logs malformed axes.
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

/// Label such as `count_4`; nothing for a list or a map, which has no short name.
std::string label_of(const SweepAxis& axis, std::size_t row) {
  const Node& value = axis.values[row];
  if (value.kind != Node::Kind::scalar) return {};
  return file_word(axis.label) + "_" + file_word(value.scalar);
}

struct Expansion {
  const Node& base;
  const std::string& beside;
  std::vector<std::string>& errors;

  void fail(const Place& place, const std::string& what) { fail_at(errors, place, what); }
};

bool is_map(const Node* node) { return node != nullptr && node->kind == Node::Kind::map; }

bool same_value(std::string_view a, std::string_view b) {
  const auto x = number_from<double>(a), y = number_from<double>(b);
  return x && y ? *x == *y : a == b;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "-" + b;
}

void add(ArmSpec& spec, const SweepAxis& axis, std::size_t row, Expansion& e) {
  for (const ArmSetting& setting : spec.settings) {
    if (setting.path == axis.path) {
      e.fail(axis.place, fmt::format("'{}' is set by arm '{}' too", axis.path, spec.name));
    }
  }
  spec.settings.push_back({axis.path, axis.values[row]});
}

std::vector<ArmSpec> named_arms(const Node* arms, Expansion& e) {
  if (arms == nullptr) return {ArmSpec{}};
  std::vector<ArmSpec> list;
  if (!is_map(arms) || arms->entries.empty()) {
    e.fail(arms->place, "'arms' must be a map of names to what they set");
    return list;
  }
  for (const Node::Entry& arm : arms->entries) {
    if (arm.key.empty() || file_word(arm.key) != arm.key) {
      e.fail(arm.place, fmt::format("arm '{}' must be letters, digits, '_' or '-', as it names "
                                    "files",
                                    arm.key));
    }
    if (arm.value.kind != Node::Kind::map && arm.value.kind != Node::Kind::null) {
      e.fail(arm.value.place, fmt::format("arm '{}' must be a map of keys", arm.key));
    }
    ArmSpec spec{arm.key, {}};
    for (const auto& entry : arm.value.entries) spec.settings.push_back({entry.key, entry.value});
    list.push_back(std::move(spec));
  }
  return list;
}

std::vector<ArmSpec> with_zip(const std::vector<ArmSpec>& arms, const std::vector<SweepAxis>& axes,
                              Expansion& e) {
  if (axes.empty()) return arms;
  const std::size_t rows = axes.front().values.size();
  for (const SweepAxis& axis : axes) {
    if (axis.values.size() == rows) continue;
    e.fail(axis.place,
           fmt::format("'{}' has {} values, '{}' has {}; the lists of a zip are equally "
                       "long",
                       axis.path, axis.values.size(), axes.front().path, rows));
    return {};
  }
  std::vector<ArmSpec> list;
  for (const ArmSpec& arm : arms) {
    for (std::size_t row = 0; row < rows; ++row) {
      ArmSpec spec = arm;
      std::string label;
      for (const SweepAxis& axis : axes) {
        add(spec, axis, row, e);
        label = joined(label, label_of(axis, row));
      }
      spec.name = joined(spec.name, label.empty() ? fmt::format("row_{}", row + 1) : label);
      list.push_back(std::move(spec));
    }
  }
  return list;
}

/// Resolved option values of the experiment that `spec` describes.
std::map<std::string, std::string> resolved(const ArmSpec& spec, Expansion& e) {
  Node document = e.base;
  std::map<std::string, std::string> values;
  for (const ArmSetting& setting : spec.settings) {
    if (const auto laid = lay_over(document, setting.path, setting.value, e.beside); !laid) {
      e.errors.push_back(laid.error().message);
      return values;
    }
  }
  const auto experiment = read_experiment(std::move(document), "sweep");
  if (!experiment) {
    e.errors.push_back(experiment.error().message);
    return values;
  }
  for (const std::string_view line : split(experiment->canonical_text, '\n')) {
    const std::size_t equals = line.find(" = ");
    if (equals != line.npos) values[std::string(line.substr(0, equals))] = line.substr(equals + 3);
  }
  return values;
}

bool holds(const Node::Entry& condition, const std::map<std::string, std::string>& values,
           Expansion& e) {
  const auto found = values.find(condition.key);
  if (found == values.end()) {
    e.fail(condition.place,
           fmt::format("'when' names '{}', which is no option of the experiment", condition.key));
    return false;
  }
  if (condition.value.kind == Node::Kind::scalar) {
    return same_value(condition.value.scalar, found->second);
  }
  for (const Node& item : condition.value.items) {
    if (same_value(item.scalar, found->second)) return true;
  }
  return false;
}

bool applies(const SweepAxis& axis, const ArmSpec& spec, Expansion& e) {
  if (axis.when.empty()) return true;
  const auto values = resolved(spec, e);
  if (values.empty()) return false;
  for (const Node::Entry& condition : axis.when) {
    if (!holds(condition, values, e)) return false;
  }
  return true;
}

std::vector<ArmSpec> with_axis(const std::vector<ArmSpec>& arms, const SweepAxis& axis,
                               Expansion& e) {
  std::vector<ArmSpec> list;
  for (const ArmSpec& arm : arms) {
    if (!applies(axis, arm, e)) {
      list.push_back(arm);
      continue;
    }
    for (std::size_t row = 0; row < axis.values.size(); ++row) {
      ArmSpec spec = arm;
      add(spec, axis, row, e);
      const std::string label = label_of(axis, row);
      const std::string fallback = fmt::format("{}_{}", file_word(axis.label), row + 1);
      spec.name = joined(spec.name, label.empty() ? fallback : label);
      list.push_back(std::move(spec));
    }
  }
  return list;
}

}  // namespace

std::vector<ArmSpec> expand_arms(const ArmSources& sources, const Node& base,
                                 const std::string& beside, std::vector<std::string>& errors) {
  Expansion e{base, beside, errors};
  std::vector<ArmSpec> list = named_arms(sources.arms, e);
  const std::vector<SweepAxis> zip = read_axes(sources.zip, "zip", errors);
  const std::vector<SweepAxis> grid = read_axes(sources.grid, "grid", errors);
  if (!errors.empty()) return {};
  list = with_zip(list, zip, e);
  for (const SweepAxis& axis : grid) list = with_axis(list, axis, e);
  for (ArmSpec& spec : list) {
    if (spec.name.empty()) spec.name = "base";
  }
  return list;
}

}  // namespace ke
