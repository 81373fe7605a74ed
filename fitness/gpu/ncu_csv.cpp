#include "fitness/gpu/ncu_csv.hpp"

#include <algorithm>
#include <charconv>

#include "core/text.hpp"

namespace ke::gpu {
namespace {

constexpr std::string_view kernel_column = "Kernel Name";

/// Factor from a unit to ns or bytes; 1 for all others. Tool versions spell some units differently.
double scale_of(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double scale;
  };
  constexpr Unit units[] = {
      {"second", 1e9}, {"s", 1e9},  {"msecond", 1e6}, {"ms", 1e6}, {"usecond", 1e3}, {"us", 1e3},
      {"Kbyte", 1e3},  {"KB", 1e3}, {"Mbyte", 1e6},   {"MB", 1e6}, {"Gbyte", 1e9},   {"GB", 1e9},
  };
  const auto* const known = std::ranges::find(units, unit, &Unit::name);
  return known == std::end(units) ? 1 : known->scale;
}

bool is_header(const std::vector<std::string>& fields) {
  return fields.front() == "ID" && std::ranges::find(fields, kernel_column) != fields.end();
}

ProfiledLaunch launch_of(const std::vector<std::string>& names,
                         const std::vector<std::string>& units,
                         const std::vector<std::string>& fields) {
  ProfiledLaunch launch;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == kernel_column) launch.kernel = fields[i];
    const bool metric = names[i].find("__") != std::string::npos;
    const auto value = metric ? number_of_field(fields[i]) : std::nullopt;
    if (value) launch.metrics[names[i]] = *value * scale_of(units[i]);
  }
  return launch;
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool twice = quoted && line.substr(i, 2) == "\"\"";
    if (twice || (line[i] != '"' && (quoted || line[i] != ','))) {
      fields.back() += line[i];
      i += twice ? 1 : 0;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else {
      fields.emplace_back();
    }
  }
  return fields;
}

std::optional<double> number_of_field(std::string_view field) {
  std::string digits(trim(field));
  std::erase(digits, ',');
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(value) : std::nullopt;
}

// The line of units follows the line of names and has no launch number.
std::vector<ProfiledLaunch> parse_ncu_csv(std::string_view text) {
  std::vector<ProfiledLaunch> launches;
  std::vector<std::string> names, units;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with('"')) continue;
    const std::vector<std::string> fields = csv_fields(trim(line));
    if (is_header(fields)) {
      names = fields;
      units.assign(names.size(), "");
    } else if (fields.size() != names.size() || names.empty()) {
      continue;
    } else if (fields.front().empty()) {
      units = fields;
    } else {
      launches.push_back(launch_of(names, units, fields));
    }
  }
  return launches;
}

}  // namespace ke::gpu
