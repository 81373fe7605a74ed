#include "core/params.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/text.hpp"

namespace ke {
namespace {

/// Formats `[a, b]`; a backslash escapes a comma or backslash in an item.
std::string list_text(const std::vector<std::string>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    for (const char c : values[i]) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + "]";
}

/// Parses "90s" into milliseconds; false when the text is not a duration.
bool parse_duration(std::string_view text, std::int64_t& ms) {
  struct Unit {
    std::string_view name;
    double ms;
  };
  constexpr Unit units[] = {{"ms", 1}, {"min", 60e3}, {"s", 1e3}, {"h", 3600e3}, {"d", 86400e3}};
  const std::size_t at = text.find_first_not_of("0123456789.");
  if (at == 0 || at == text.npos) return false;
  const auto count = number_from<double>(text.substr(0, at));
  if (!count) return false;
  for (const Unit& unit : units) {
    if (text.substr(at) == unit.name) {
      ms = static_cast<std::int64_t>(*count * unit.ms);
      return true;
    }
  }
  return false;
}

}  // namespace

std::size_t ParamLog::visit_of(const Node* node, const std::string& path) {
  const auto same = [&](const Visit& visit) { return node != nullptr && visit.node == node; };
  const auto found = std::find_if(visits_.begin(), visits_.end(), same);
  if (found != visits_.end()) return static_cast<std::size_t>(found - visits_.begin());
  visits_.push_back({node, path, {}});
  return visits_.size() - 1;
}

void ParamLog::report_unknown() {
  constexpr std::size_t most_listed = 24;
  // Suggest a similar key of this section, else the same key in another section, else list all
  // keys.
  const auto meant = [this](const std::string& key, const Visit& visit) -> std::string {
    const std::vector<std::string> here(visit.asked.begin(), visit.asked.end());
    std::string near = suggestion(key, here);
    if (!near.empty()) return near;
    std::set<std::string> elsewhere;
    for (const Visit& other : visits_) {
      if (other.asked.contains(key) && !other.path.empty())
        elsewhere.insert(other.path + "." + key);
    }
    if (elsewhere.size() == 1) return "; did you mean '" + *elsewhere.begin() + "'?";
    if (here.empty() || here.size() > most_listed) return {};
    return fmt::format(" (known: {})", fmt::join(here, ", "));
  };
  for (const Visit& visit : visits_) {
    if (visit.node == nullptr) continue;
    for (const auto& entry : visit.node->entries) {
      if (visit.asked.contains(entry.key)) continue;
      errors.push_back(fmt::format("{}: unknown key '{}'{}", entry.place.text(),
                                   visit.path.empty() ? entry.key : visit.path + "." + entry.key,
                                   meant(entry.key, visit)));
    }
  }
}

std::string ParamLog::canonical_text() const {
  std::string text;
  for (const auto& [path, value] : values) text += path + " = " + value + "\n";
  return text;
}

Params::Params(const Node* node, std::string path, ParamLog& log)
    : node_(node), path_(std::move(path)), log_(&log) {
  if (node_ != nullptr && node_->kind != Node::Kind::map && node_->kind != Node::Kind::null) {
    log.errors.push_back(fmt::format("{}: '{}' must be a map of keys", node_->place.text(), path_));
    node_ = nullptr;
  }
  if (node_ != nullptr && node_->stored) log.stored_ = true;
  visit_ = log.visit_of(node_, path_);
}

std::string Params::path(std::string_view name) const {
  if (path_.empty() || name.empty()) return path_.empty() ? std::string(name) : path_;
  return fmt::format("{}.{}", path_, name);
}

const Node* Params::ask(std::string_view name) {
  log_->visits_[visit_].asked.emplace(name);
  const Node* found = node_ == nullptr ? nullptr : node_->find(name);
  return found != nullptr && found->kind != Node::Kind::null ? found : nullptr;
}

Params& Params::added(std::string_view absent) {
  absent_ = absent;
  return *this;
}

/// The value of an option that the stored run's version did not have; null for all other options.
const Node* Params::stand_in(std::string_view name) {
  const std::optional<std::string> absent = std::exchange(absent_, std::nullopt);
  outside_identity_ = absent && log_->stored_ && !has(name);
  if (!outside_identity_) return nullptr;
  Node& made = log_->absent_.emplace_back();
  made.kind = Node::Kind::scalar;
  made.scalar = *absent;
  return &made;
}

const Node* Params::scalar(std::string_view name) {
  const Node* found = ask(name);
  if (const Node* made = stand_in(name)) return made;
  if (found == nullptr || found->kind == Node::Kind::scalar) return found;
  fail(name, "must be a single value");
  return nullptr;
}

void Params::fail(std::string_view name, std::string_view what) {
  const Node* found = node_ == nullptr ? nullptr : node_->find(name);
  const Node* at = found != nullptr ? found : node_;
  log_->errors.push_back(fmt::format(
      "{}: '{}' {}", at == nullptr ? "configuration" : at->place.text(), path(name), what));
}

void Params::declare(std::string_view name, std::string_view type, std::string fallback,
                     std::string range, std::string_view doc) {
  log_->options.push_back(
      {path(name), std::string(type), std::move(fallback), std::move(range), std::string(doc)});
}

void Params::resolve(std::string_view name, std::string value) {
  if (!std::exchange(outside_identity_, false)) log_->values[path(name)] = std::move(value);
}

template <typename T>
T Params::number(std::string_view name, T fallback, Range<T> range, std::string_view doc) {
  constexpr bool whole = std::is_integral_v<T>;
  const std::string allowed = fmt::format("[{}, {}]", range.low, range.high);
  declare(name, whole ? "integer" : "real", fmt::format("{}", fallback), allowed, doc);
  T value = fallback;
  if (const Node* found = scalar(name)) {
    const auto given = found->quoted ? std::nullopt : number_from<T>(found->scalar);
    if (!given || !std::isfinite(static_cast<double>(*given))) {
      fail(name, fmt::format("= {} is not {} in {}", found->scalar,
                             whole ? "an integer" : "a number", allowed));
    } else if (*given < range.low || *given > range.high) {
      fail(name, fmt::format("= {} is outside {}", found->scalar, allowed));
    } else {
      value = *given;
    }
  }
  resolve(name, fmt::format("{}", value));
  return value;
}

std::int64_t Params::integer(std::string_view name, std::int64_t fallback,
                             Range<std::int64_t> range, std::string_view doc) {
  return number(name, fallback, range, doc);
}

double Params::real(std::string_view name, double fallback, Range<double> range,
                    std::string_view doc) {
  return number(name, fallback, range, doc);
}

bool Params::flag(std::string_view name, bool fallback, std::string_view doc) {
  declare(name, "bool", fallback ? "true" : "false", "true | false", doc);
  bool value = fallback;
  if (const Node* found = scalar(name)) {
    if (found->quoted || (found->scalar != "true" && found->scalar != "false")) {
      fail(name, fmt::format("= {} is not true or false", found->scalar));
    } else {
      value = found->scalar == "true";
    }
  }
  resolve(name, value ? "true" : "false");
  return value;
}

std::string Params::text(std::string_view name, std::string_view fallback, std::string_view doc) {
  declare(name, "text", std::string(fallback), "", doc);
  const Node* found = scalar(name);
  std::string value = found == nullptr ? std::string(fallback) : found->scalar;
  resolve(name, value);
  return value;
}

std::string Params::required_text(std::string_view name, std::string_view doc) {
  std::string value = text(name, "", doc);
  if (value.empty()) fail(name, "is missing");
  return value;
}

std::string Params::choice(std::string_view name, std::string_view fallback,
                           const std::vector<std::string>& allowed, std::string_view doc) {
  const std::string range = fmt::format("{}", fmt::join(allowed, " | "));
  declare(name, "choice", std::string(fallback), range, doc);
  std::string value(fallback);
  if (const Node* found = scalar(name)) {
    if (std::find(allowed.begin(), allowed.end(), found->scalar) == allowed.end()) {
      fail(name, fmt::format("= {} is not one of {}{}", found->scalar, range,
                             suggestion(found->scalar, allowed)));
    } else {
      value = found->scalar;
    }
  }
  resolve(name, value);
  return value;
}

std::int64_t Params::duration_ms(std::string_view name, std::string_view fallback,
                                 Range<std::int64_t> range_ms, std::string_view doc) {
  const std::string allowed = fmt::format("[{}ms, {}ms]", range_ms.low, range_ms.high);
  declare(name, "duration", std::string(fallback), allowed, doc);
  std::int64_t value = 0;
  parse_duration(fallback, value);
  if (const Node* found = scalar(name)) {
    std::int64_t given = 0;
    if (!parse_duration(found->scalar, given)) {
      fail(name, fmt::format("= {} is not a duration such as 90s, 15min, 2h", found->scalar));
    } else if (given < range_ms.low || given > range_ms.high) {
      fail(name, fmt::format("= {} is outside {}", found->scalar, allowed));
    } else {
      value = given;
    }
  }
  resolve(name, fmt::format("{}ms", value));
  return value;
}

std::vector<std::string> Params::texts(std::string_view name,
                                       const std::vector<std::string>& fallback,
                                       std::string_view doc) {
  declare(name, "list", fmt::format("{}", fmt::join(fallback, ", ")), "", doc);
  std::vector<std::string> values = fallback;
  if (const Node* found = ask(name)) {
    values.clear();
    if (found->kind == Node::Kind::scalar) values.push_back(found->scalar);
    for (const Node& item : found->items) {
      if (item.kind != Node::Kind::scalar) {
        fail(name, "must be a list of single values");
        break;
      }
      values.push_back(item.scalar);
    }
    if (found->kind == Node::Kind::map) fail(name, "must be a list of single values");
  }
  resolve(name, list_text(values));
  return values;
}

bool Params::has(std::string_view name) const {
  return node_ != nullptr && node_->find(name) != nullptr;
}

std::vector<std::string> Params::keys() const {
  std::vector<std::string> keys;
  if (node_ == nullptr) return keys;
  for (const auto& entry : node_->entries) keys.push_back(entry.key);
  return keys;
}

Params Params::section(std::string_view name) { return Params(ask(name), path(name), *log_); }

std::vector<Params> Params::sections(std::string_view name, std::string_view doc) {
  std::vector<Params> list;
  if (!doc.empty()) declare(name, "list", "", "", doc);
  const Node* found = ask(name);
  if (found == nullptr) return list;
  if (found->kind != Node::Kind::list) {
    fail(name, "must be a list");
    return list;
  }
  for (std::size_t i = 0; i < found->items.size(); ++i) {
    list.emplace_back(&found->items[i], fmt::format("{}.{}", path(name), i), *log_);
  }
  return list;
}

void Params::skip() {
  for (const std::string& key : keys()) ask(key);
}

const Node* Params::raw(std::string_view name) { return ask(name); }

}  // namespace ke
