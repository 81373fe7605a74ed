#include "experiments/run/config/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/text.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/yaml/read_yaml.hpp"

namespace ke {
namespace {

struct ShortForm {
  std::string_view section;
  std::string_view key;
};
constexpr ShortForm short_forms[] = {{"strategy", "kind"},
                                     {"archive", "kind"},
                                     {"passive", "kind"},
                                     {"device", "kind"},
                                     {"acceptance", "rule"}};

Node::Entry* entry_of(Node& map, std::string_view key) {
  for (auto& entry : map.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

/// Replaces `value` by `{key: value}`.
void wrap(Node& value, std::string_view key) {
  if (value.kind != Node::Kind::scalar) return;
  Node map;
  map.kind = Node::Kind::map;
  map.place = value.place;
  const Place place = value.place;
  map.entries.push_back({std::string(key), place, std::move(value)});
  value = std::move(map);
}

/// Replaces the short form of a device by the content of the backend's file; keeps the short form
/// as its name.
Result<void> expand_device(Node& device, const std::string& beside) {
  if (device.kind != Node::Kind::scalar) return {};
  const std::string path = find_config("backends", device.scalar, beside);
  if (path.empty()) return {};
  KE_TRY(Node file, read_yaml_file(path));
  std::erase_if(file.entries, [](const Node::Entry& entry) { return entry.key == "schema"; });
  if (entry_of(file, "name") == nullptr) {
    file.entries.push_back({"name", device.place, std::move(device)});
  }
  device = std::move(file);
  return {};
}

Result<void> write_out_device(Node& map, const std::string& beside) {
  Node::Entry* device = entry_of(map, "device");
  return device == nullptr ? Result<void>() : expand_device(device->value, beside);
}

/// Expands short forms in the document, or in the settings of one island.
void write_out_components(Node& map) {
  for (const ShortForm& form : short_forms) {
    if (Node::Entry* entry = entry_of(map, form.section)) wrap(entry->value, form.key);
  }
  Node::Entry* operators = entry_of(map, "operators");
  if (operators == nullptr) return;
  for (Node::Entry& entry : operators->value.entries) {
    wrap(entry.value, entry.key == "selection" ? "kind" : "weight");
  }
}

/// Key that a scalar sets when it is laid over the map at `path`; "" = none.
std::string_view short_key(std::string_view path) {
  for (const ShortForm& form : short_forms) {
    if (path == form.section) return form.key;
  }
  if (path == "operators.selection" || path == "islands.schedule") return "kind";
  return path.starts_with("operators.") && path.find('.', 10) == path.npos ? "weight" : "";
}

Node* find_path(Node& document, std::string_view path) {
  Node* at = &document;
  for (const std::string_view part : split(path, '.')) {
    Node::Entry* entry = entry_of(*at, part);
    if (entry == nullptr) return nullptr;
    at = &entry->value;
  }
  return at;
}

/// Drops the options of the old kind in the map at `path`, except `axes`; keeps all where the kind
/// is the same.
void start_afresh(Node& document, std::string_view path, const Node& kind) {
  Node* section = find_path(document, path);
  if (section == nullptr) return;
  const Node* now = section->find("kind");
  if (now != nullptr && now->scalar == kind.scalar) return;
  std::erase_if(section->entries, [](const Node::Entry& e) { return e.key != "axes"; });
}

/// Sets one key; a scalar laid over a map is its short form.
void set_one(Node& document, std::string path, Node value) {
  const Node* old = find_path(document, path);
  const std::string_view key = short_key(path);
  const bool is_map = old != nullptr && old->kind == Node::Kind::map;
  if (is_map && !key.empty() && value.kind == Node::Kind::scalar && path != "device") {
    path += fmt::format(".{}", key);
  }
  if (path.ends_with(".kind")) start_afresh(document, path.substr(0, path.rfind('.')), value);
  document.set(path, std::move(value));
}

struct Setting {
  std::string path;
  Node value;
};

void flatten(const std::string& path, const Node& value, std::vector<Setting>& settings) {
  if (path.ends_with('!') || value.kind != Node::Kind::map) {
    settings.push_back({path.substr(0, path.find('!')), value});
    return;
  }
  for (const Node::Entry& entry : value.entries) {
    flatten(path.empty() ? entry.key : path + "." + entry.key, entry.value, settings);
  }
}

/// Keys that a map sets, kinds first, because a new kind drops the options of its section.
std::vector<Setting> settings_of(const std::string& path, const Node& value) {
  std::vector<Setting> settings;
  flatten(path, value, settings);
  std::stable_partition(settings.begin(), settings.end(),
                        [](const Setting& s) { return s.path.ends_with(".kind"); });
  return settings;
}

Error bad_override(const std::string& text, std::string_view why) {
  return {Failure::usage, fmt::format("command line: override '{}' {}", text, why)};
}

bool is_path(std::string_view path) {
  const auto parts = split(path, '.');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return !part.empty() &&
           part.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == part.npos;
  });
}

}  // namespace

Result<void> write_out_short_forms(Node& document, const std::string& beside) {
  KE_TRY_VOID(write_out_device(document, beside));
  write_out_components(document);
  Node::Entry* islands = entry_of(document, "islands");
  if (islands == nullptr) return {};
  Node::Entry* schedule = entry_of(islands->value, "schedule");
  if (schedule != nullptr) wrap(schedule->value, "kind");
  Node::Entry* each = entry_of(islands->value, "each");
  if (each == nullptr) return {};
  for (Node& island : each->value.items) {
    KE_TRY_VOID(write_out_device(island, beside));
    write_out_components(island);
  }
  return {};
}

Result<void> lay_over(Node& document, const std::string& path, const Node& value,
                      const std::string& beside) {
  for (const Setting& setting : settings_of(path, value)) {
    set_one(document, setting.path, setting.value);
    KE_TRY_VOID(write_out_short_forms(document, beside));
  }
  return {};
}

Result<void> apply_override(Node& document, const std::string& text, const std::string& beside) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return bad_override(text, "is not of the form path.to.key=value");
  const std::string path = text.substr(0, equals);
  if (!is_path(path)) return bad_override(text, "names no key; keys are joined by single dots");
  KE_TRY(Node value, read_yaml_value("command line: '" + path + "'", text.substr(equals + 1)));
  set_one(document, path, std::move(value));
  return write_out_short_forms(document, beside);
}

Result<Node> load_document(const std::string& path, const std::vector<std::string>& overrides) {
  KE_TRY(Node document, read_yaml_file(path));
  if (document.kind == Node::Kind::null) {
    return Error{Failure::config, path + ": is empty; an experiment needs at least 'task'"};
  }
  if (document.kind != Node::Kind::map) {
    return Error{Failure::config, document.place.text() + ": an experiment is a map of keys"};
  }
  const std::string beside = std::filesystem::path(path).parent_path().string();
  KE_TRY_VOID(write_out_short_forms(document, beside.empty() ? "." : beside));
  std::vector<std::string> errors;
  Failure failure = Failure::usage;
  for (const std::string& text : overrides) {
    const auto applied = apply_override(document, text, beside.empty() ? "." : beside);
    if (applied) continue;
    failure = applied.error().failure;
    errors.push_back(applied.error().message);
  }
  if (!errors.empty()) return Error{failure, fmt::format("{}", fmt::join(errors, "\n"))};
  return document;
}

}  // namespace ke
