#include "fitness/landscape/read_landscape.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "fitness/landscape/formats.hpp"

namespace ke {
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
