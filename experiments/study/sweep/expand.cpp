#include "experiments/study/sweep/expand.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

#include "core/text.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/study/sweep/axis.hpp"

namespace ke {
namespace {

struct Expansion {
  const Node& base;
  const std::string& beside;
  std::vector<std::string>& errors;

  void fail(const Place& place, const std::string& what) { fail_at(errors, place, what); }
};

bool is_map(const Node* node) { return node != nullptr && node->kind == Node::Kind::map; }

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool same_value(std::string_view a, std::string_view b) {
  const auto x = number(a), y = number(b);
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
