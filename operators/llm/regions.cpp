#include "operators/llm/regions.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/text.hpp"

namespace ke {
namespace {

/// The word after the comment sign if it begins with EVOLVE-BLOCK.
std::string_view marker_word(std::string_view line) {
  line = trim(line);
  const std::size_t signs = line.starts_with("//") || line.starts_with("/*") ? 2 : 1;
  if (signs == 1 && !line.starts_with('#')) return {};
  std::string_view rest = trim(line.substr(signs));
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  return word.starts_with("EVOLVE-BLOCK") ? word : std::string_view{};
}

class RegionScan {
 public:
  RegionScan(std::string_view name, std::vector<EditRegion>& regions)
      : name_(name), regions_(regions) {}

  Result<void> line(std::size_t at, std::string_view text) {
    const std::string_view word = marker_word(text);
    if (word.empty()) return {};
    if (trim(text).starts_with("/*") || (word != start && word != stop)) {
      return error(at, fmt::format("'{}' is no marker; write '// {}' or '// {}'",
                                   cut(std::string(trim(text)), 60), start, stop));
    }
    return word == start ? open(at) : close(at);
  }

  Result<void> finish() const {
    if (!open_) return {};
    return error(*open_, fmt::format("{} without a following {}", start, stop));
  }

 private:
  static constexpr std::string_view start = "EVOLVE-BLOCK-START";
  static constexpr std::string_view stop = "EVOLVE-BLOCK-END";

  Error error(std::size_t at, std::string_view problem) const {
    return {Failure::config, fmt::format("{}:{}: {}", name_, at + 1, problem)};
  }

  Result<void> open(std::size_t at) {
    if (open_) return error(at, fmt::format("{} inside the block of line {}", start, *open_ + 1));
    open_ = at;
    return {};
  }

  Result<void> close(std::size_t at) {
    if (!open_) return error(at, fmt::format("{} without a {} before it", stop, start));
    regions_.push_back({*open_ + 1, at});
    open_.reset();
    return {};
  }

  std::string_view name_;
  std::vector<EditRegion>& regions_;
  std::optional<std::size_t> open_;
};

}  // namespace

bool is_region_marker(std::string_view line) { return !marker_word(line).empty(); }

Result<EditableSource> editable_source(std::string_view name, std::string_view text) {
  EditableSource source{text, split_lines(text), {}, false};
  RegionScan scan(name, source.regions);
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    KE_TRY_VOID(scan.line(i, source.lines[i].text));
  }
  KE_TRY_VOID(scan.finish());
  source.marked = !source.regions.empty();
  if (!source.marked) source.regions.push_back({0, source.lines.size()});
  return source;
}

}  // namespace ke
