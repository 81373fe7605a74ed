#include "fitness/landscape/landscape.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "core/codec.hpp"
#include "core/text.hpp"
#include "fitness/landscape/formats.hpp"

namespace ke {
namespace {

constexpr std::size_t most_values = 65535;
constexpr std::size_t bits_per_point = 16;  // at most one absent combination in 16 needs a lookup

KnobKind kind_of(const std::set<RawValue::Kind>& kinds) {
  if (kinds == std::set{RawValue::Kind::integer}) return KnobKind::integer;
  if (kinds == std::set{RawValue::Kind::boolean}) return KnobKind::boolean;
  return KnobKind::enumeration;
}

/// Makes an identifier for an enum value: letters, digits and '_', no leading digit.
std::string identifier(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(name, std::not_fn(may_stand_in_identifier), '_');
  if (name.empty()) return "none";
  return is_identifier(name) ? name : "_" + name;
}

/// Orders numbers by value, then texts alphabetically.
bool before(const RawValue& a, const RawValue& b) {
  const bool text_a = a.kind == RawValue::Kind::text;
  const bool text_b = b.kind == RawValue::Kind::text;
  if (text_a != text_b) return text_b;
  if (!text_a && a.number != b.number) return a.number < b.number;
  return a.text < b.text;
}

/// Labels of values, made distinct where two would look alike.
std::vector<std::string> labels_of(const std::vector<RawValue>& values, KnobKind kind) {
  std::vector<std::string> labels;
  for (const RawValue& value : values) {
    std::string label = kind == KnobKind::enumeration ? identifier(value.text) : value.text;
    while (std::find(labels.begin(), labels.end(), label) != labels.end()) label += "_";
    labels.push_back(std::move(label));
  }
  return labels;
}

/// Values of one parameter, with each value's text from the file.
struct Numbering {
  LandscapeParameter parameter;
  std::map<std::string, std::uint16_t> level_of;
};

Numbering number_values(const LandscapeTable& table, std::size_t column) {
  std::map<std::string, RawValue> found;
  std::set<RawValue::Kind> kinds;
  for (const RawPoint& point : table.points) {
    const RawValue& value = point.values[column];
    if (found.emplace(value.text, value).second) kinds.insert(value.kind);
  }
  std::vector<RawValue> values;
  for (auto& [text, value] : found) values.push_back(std::move(value));
  std::sort(values.begin(), values.end(), before);
  Numbering made;
  Knob& knob = made.parameter.knob;
  knob.name = identifier(table.parameters[column]);
  knob.kind = kind_of(kinds);
  knob.values = labels_of(values, knob.kind);
  if (knob.kind == KnobKind::boolean) knob.values = {"false", "true"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool boolean = knob.kind == KnobKind::boolean;
    const std::size_t level = boolean ? static_cast<std::size_t>(values[i].number) : i;
    made.level_of.emplace(values[i].text, static_cast<std::uint16_t>(level));
  }
  for (std::size_t i = 0; i < knob.values.size(); ++i) {
    const bool number = knob.kind != KnobKind::boolean && values[i].kind != RawValue::Kind::text;
    made.parameter.numbers.push_back(number ? values[i].number : static_cast<double>(i));
  }
  return made;
}

Error at(const LandscapeTable& table, const std::string& place, std::string_view what) {
  return {Failure::config, place.empty() ? fmt::format("{}: {}", table.file, what)
                                         : fmt::format("{}: {}: {}", table.file, place, what)};
}

}  // namespace

Result<Landscape> Landscape::make(LandscapeTable table, std::string name) {
  Landscape made;
  made.name_ = std::move(name);
  made.kernel_ = table.kernel;
  made.device_ = table.device;
  made.unit_ns_ = table.unit_ns;
  made.measures_ = table.measures;
  if (table.points.empty()) return at(table, "", "holds no configuration");
  KE_TRY_VOID(made.number(table));
  KE_TRY_VOID(made.add_points(table));
  made.hash_content();
  return made;
}

Result<void> Landscape::number(const LandscapeTable& table) {
  levels_.resize(table.points.size() * table.parameters.size());
  std::uint64_t size = 1;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    Numbering made = number_values(table, p);
    const std::size_t count = made.parameter.knob.values.size();
    if (count > most_values || size > (std::uint64_t{1} << 62) / count) {
      return at(table, "",
                fmt::format("parameter {}: the space is too large", made.parameter.knob.name));
    }
    digits_.push_back({size, count});
    size *= count;
    for (const LandscapeParameter& other : parameters_) {
      if (other.knob.name == made.parameter.knob.name) {
        return at(table, "", fmt::format("parameter {} stands twice", other.knob.name));
      }
    }
    for (std::size_t i = 0; i < table.points.size(); ++i) {
      levels_[i * table.parameters.size() + p] = made.level_of.at(table.points[i].values[p].text);
    }
    parameters_.push_back(std::move(made.parameter));
  }
  for (std::size_t p = 0; p < parameters_.size(); ++p) by_name_.push_back(p);
  std::sort(by_name_.begin(), by_name_.end(), [&](std::size_t a, std::size_t b) {
    return parameters_[a].knob.name < parameters_[b].knob.name;
  });
  return {};
}

Result<void> Landscape::add_points(LandscapeTable& table) {
  bool any = false;
  perhaps_.resize(std::bit_ceil(bits_per_point * table.points.size()));
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    RawPoint& raw = table.points[i];
    const std::uint64_t code = *code_of(levels(i));
    perhaps_[bit_of(code)] = true;
    const auto [known, fresh] = index_.emplace(code, static_cast<std::uint32_t>(i));
    if (!fresh) {
      return at(table, raw.place,
                fmt::format("the same configuration as {}", table.points[known->second].place));
    }
    Point point{raw.verdict, raw.time, static_cast<std::uint32_t>(samples_.size()),
                static_cast<std::uint32_t>(raw.samples.size()), std::move(raw.reason)};
    samples_.insert(samples_.end(), raw.samples.begin(), raw.samples.end());
    measured_.insert(measured_.end(), raw.measures.begin(), raw.measures.end());
    points_.push_back(std::move(point));
    if (raw.verdict != Verdict::ok) continue;
    if (!any || raw.time < points_[optimum_].time) optimum_ = i;
    any = true;
  }
  if (!any) return at(table, "", "holds no configuration that worked");
  return {};
}

std::optional<std::uint64_t> Landscape::code_of(std::span<const std::uint16_t> levels) const {
  std::uint64_t code = 0;
  bool inside = true;
  for (std::size_t p = 0; p < levels.size(); ++p) {
    inside &= levels[p] < digits_[p].count;
    code += digits_[p].stride * levels[p];
  }
  if (!inside) return std::nullopt;
  return code;
}

std::size_t Landscape::bit_of(std::uint64_t code) const {
  // Fibonacci hashing: uses the high half of the product, where neighbouring codes are far apart.
  return (code * 0x9E3779B97F4A7C15u >> 32) & (perhaps_.size() - 1);
}

std::optional<std::size_t> Landscape::find(std::span<const std::uint16_t> levels) const {
  const auto code = code_of(levels);
  if (!code || !perhaps_[bit_of(*code)]) return std::nullopt;
  const auto found = index_.find(*code);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Landscape::find(const Kernel& kernel) const {
  if (kernel.knobs.size() != parameters_.size()) return std::nullopt;
  std::vector<std::uint16_t> levels(parameters_.size());
  auto knob = kernel.knobs.begin();
  for (const std::size_t p : by_name_) {
    const Knob& declared = parameters_[p].knob;
    const std::size_t level = declared.index_of(knob->second);
    if (knob->first != declared.name || level == declared.values.size()) return std::nullopt;
    levels[p] = static_cast<std::uint16_t>(level);
    ++knob;
  }
  return find(levels);
}

void Landscape::hash_content() {
  Encoder out;
  out("landscape/1")(unit_ns_)(measures_);
  for (const LandscapeParameter& parameter : parameters_) {
    out(parameter.knob.name)(parameter.knob.values);
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (const std::uint16_t level : levels(i)) out(level);
    out(points_[i].verdict)(points_[i].time)(points_[i].sample_count);
  }
  for (const double sample : samples_) out(sample);
  for (const double value : measured_) out(value);
  hash_ = out.digest();
}

namespace {

namespace fs = std::filesystem;

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

Result<std::string> read_all(const std::string& path) {
  std::error_code code;
  if (!fs::exists(path, code)) return Error{Failure::config, path + ": no such file"};
  if (fs::is_directory(path, code)) return Error{Failure::config, path + ": is a folder"};
  const GzFile file(gzopen(path.c_str(), "rb"));
  if (!file) return Error{Failure::config, path + ": " + std::strerror(errno)};
  gzbuffer(file.get(), 1 << 18);
  std::string text;
  constexpr std::size_t chunk = 1 << 20;
  for (;;) {
    const std::size_t had = text.size();
    text.resize(had + chunk);
    const int got = gzread(file.get(), text.data() + had, chunk);
    text.resize(had + static_cast<std::size_t>(std::max(got, 0)));
    if (got > 0) continue;
    int error = Z_OK;
    const char* what = gzerror(file.get(), &error);
    if (error == Z_OK || error == Z_STREAM_END) return text;
    return Error{Failure::config, fmt::format("{}: damaged after {} bytes: {}", path, had, what)};
  }
}

/// The cache format has this key near the top; T4 does not have it.
bool is_tuner_cache(std::string_view text) {
  return text.substr(0, 1 << 16).find("\"tune_params_keys\"") != text.npos;
}

/// Removes the code from "[json.exception.parse_error.101] parse error at line 3, column 7: ...".
std::string without_code(std::string_view message) {
  const std::size_t close = message.find("] ");
  return std::string(close == message.npos ? message : message.substr(close + 2));
}

Result<LandscapeTable> parse(const std::string& path, const std::string& text) {
  try {
    LandscapeTable table = is_tuner_cache(text) ? read_tuner_cache(nlohmann::json::parse(text))
                                                : read_t4(nlohmann::ordered_json::parse(text));
    table.file = path;
    return table;
  } catch (const FormatError& error) {
    const std::string place = error.place.empty() ? "the document" : error.place;
    return Error{Failure::config, fmt::format("{}: {}: {}", path, place, error.what)};
  } catch (const nlohmann::json::exception& error) {
    return Error{Failure::config, fmt::format("{}: {}", path, without_code(error.what()))};
  }
}

bool strip(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

}  // namespace

std::string landscape_name(const std::string& path) {
  const fs::path file(path);
  std::string name = file.filename().string();
  strip(name, ".gz");
  strip(name, ".json");
  strip(name, "_T4");
  const std::string folder = file.parent_path().filename().string();
  const bool plain = folder.empty() || folder == "." || folder == ".." || folder == "landscapes";
  return plain ? name : folder + "/" + name;
}

Result<std::shared_ptr<const Landscape>> read_landscape(const std::string& path) {
  KE_TRY(const std::string text, read_all(path));
  KE_TRY(LandscapeTable table, parse(path, text));
  KE_TRY(Landscape made, Landscape::make(std::move(table), landscape_name(path)));
  return std::make_shared<const Landscape>(std::move(made));
}

}  // namespace ke
