#include "fitness/host/build/diagnostics.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::size_t max_message = 300;
constexpr std::size_t most_diagnostics = 10;
constexpr std::size_t most_notes = 20;

// Removes `number:` from the front of `text`.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

// Parses FILE:LINE:COLUMN: SEVERITY: MESSAGE.
std::optional<Diagnostic> parse_line(std::string_view line, std::string_view file) {
  if (!line.starts_with(file) || line.size() <= file.size() || line[file.size()] != ':') {
    return std::nullopt;
  }
  line.remove_prefix(file.size() + 1);
  const auto number = take_number(line);
  const auto column = number ? take_number(line) : std::nullopt;
  if (!column || !line.starts_with(" ")) return std::nullopt;
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  return Diagnostic{std::string(file), *number, *column, std::string(line.substr(1, colon - 1)),
                    std::string(line.substr(colon + 2, max_message))};
}

// The file name of a line about a header directly in `folder`.
std::string_view header_of(std::string_view line, std::string_view folder) {
  if (!line.starts_with(folder) || folder.empty()) return {};
  line.remove_prefix(folder.size());
  if (!line.starts_with('/')) return {};
  const std::string_view name = line.substr(1, line.find(':') - 1);
  return name.find('/') == std::string_view::npos ? name : std::string_view();
}

std::vector<Diagnostic> errors_first(std::vector<Diagnostic> found) {
  const auto is_error = [](const Diagnostic& d) {
    return d.severity.find("error") != std::string::npos;
  };
  std::stable_partition(found.begin(), found.end(), is_error);
  if (found.size() > most_diagnostics) found.resize(most_diagnostics);
  return found;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view output, std::string_view file) {
  std::vector<Diagnostic> found;
  for (const std::string_view line : split(output, '\n')) {
    if (auto diagnostic = parse_line(line, file)) found.push_back(*std::move(diagnostic));
  }
  return errors_first(std::move(found));
}

std::vector<Diagnostic> parse_header_diagnostics(std::string_view output, std::string_view folder) {
  std::vector<Diagnostic> found;
  for (std::string_view line : split(output, '\n')) {
    const std::string_view name = header_of(line, folder);
    if (name.empty()) continue;
    line.remove_prefix(folder.size() + 1);
    if (auto diagnostic = parse_line(line, name)) found.push_back(*std::move(diagnostic));
  }
  return errors_first(std::move(found));
}

std::vector<LoopNote> parse_loop_notes(std::string_view output, std::string_view file) {
  std::vector<LoopNote> notes;
  for (const std::string_view line : split(output, '\n')) {
    const auto note = parse_line(line, file);
    if (!note || notes.size() >= most_notes) continue;
    const bool vectorized = note->severity == "optimized";
    const bool missed =
        note->severity == "missed" && (note->message.starts_with("couldn't vectorize loop") ||
                                       note->message.starts_with("not vectorized"));
    if (!vectorized && !missed) continue;
    const bool known = std::any_of(notes.begin(), notes.end(), [&](const LoopNote& other) {
      return other.line == note->line && other.text == note->message;
    });
    if (!known) notes.push_back({static_cast<int>(note->line), vectorized, note->message});
  }
  return notes;
}

}  // namespace ke
