#include "experiments/run/kept_sheet.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/json.hpp"

namespace ke {
namespace {

Json json_of(const std::string& key, const DeviceSheet& sheet) {
  const ResidencyLimits& limits = sheet.residency;
  return {{"key", key},
          {"text", sheet.text},
          {"floors_ns", sheet.floors_ns},
          {"time_unit", sheet.time_unit},
          {"residency", {limits.registers, limits.threads, limits.shared_bytes, limits.wave}}};
}

DeviceSheet sheet_of(const Json& json) {
  DeviceSheet sheet;
  json.at("text").get_to(sheet.text);
  json.at("floors_ns").get_to(sheet.floors_ns);
  json.at("time_unit").get_to(sheet.time_unit);
  const auto limits = json.at("residency").get<std::array<std::int64_t, 4>>();
  sheet.residency = {limits[0], limits[1], limits[2], limits[3]};
  return sheet;
}

Result<std::optional<DeviceSheet>> find_sheet(const std::string& file, const std::string& key) {
  if (!std::filesystem::exists(file)) return std::optional<DeviceSheet>();
  std::ifstream lines(file);
  if (!lines) return Error{Failure::io, file + ": cannot be read"};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const Json json = parse_json(line);
    try {
      if (json.at("key").get<std::string>() == key) return std::optional(sheet_of(json));
    } catch (const std::exception& problem) {
      return Error{Failure::config,
                   fmt::format("{}:{}: no sheet of a device: {}", file, number, problem.what())};
    }
  }
  return std::optional<DeviceSheet>();
}

}  // namespace

Result<DeviceSheet> kept_sheet(const std::string& file, const std::string& key,
                               const DeviceSheet& measured) {
  KE_TRY(const auto kept, find_sheet(file, key));
  if (kept) return *kept;
  // One write of a whole line, since another process may add its own; the first line of a key
  // counts.
  if (std::ofstream out(file, std::ios::binary | std::ios::app);
      !(out << json_text(json_of(key, measured)) + "\n"
            << std::flush)) {
    return Error{Failure::io, file + ": cannot be written"};
  }
  KE_TRY(const auto first, find_sheet(file, key));
  return first.value_or(measured);
}

}  // namespace ke
