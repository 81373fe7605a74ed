#include "tests/operators/llm/corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "core/entry_point.hpp"
#include "core/text.hpp"

namespace ke {
namespace {

const std::filesystem::path folder = KE_SOURCE_DIR "/tests/golden/llm_replies";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// \n \r \t \\ \xHH, and {{3*text}} for texttexttext.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("{{")) {
      const std::size_t star = text.find('*', i);
      const std::size_t end = text.find("}}", star);
      const std::string part = unescaped(text.substr(star + 1, end - star - 1));
      for (int n = std::stoi(std::string(text.substr(i + 2))); n > 0; --n) out += part;
      i = end + 1;
    } else if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else if (text[++i] == 'x') {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i] == 't' ? '\t' : text[i];
    }
  }
  return out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) lines.emplace_back(line);
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

/// Applies lines `@N` (go behind line N), `-N` (leave out line N) and `+text`.
std::string changed(const std::string& parent, const std::vector<std::string>& steps) {
  const auto lines = lines_of(parent);
  std::string out;
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t line) {
    while (at < line) out += lines.at(at++) + "\n";
  };
  for (const std::string& step : steps) {
    if (step.empty() || std::string_view("@-+").find(step[0]) == std::string_view::npos) {
      throw std::runtime_error("no step of a change: " + step);
    }
    if (step[0] == '+') {
      out += step.substr(1) + "\n";
    } else {
      const std::size_t line = std::stoul(step.substr(1));
      copy_to(step[0] == '@' ? line : line - 1);
      if (step[0] == '-') at = line;
    }
  }
  copy_to(lines.size());
  return out;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

/// The lines after each line that begins with `start`, by that line.
std::vector<std::pair<std::string, std::vector<std::string>>> sections(
    const std::vector<std::string>& lines, std::string_view start) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found(1);
  for (const std::string& line : lines) {
    if (line.starts_with(start)) {
      found.push_back({line.substr(start.size()), {}});
    } else {
      found.back().second.push_back(line);
    }
  }
  return found;
}

struct Reader {
  std::map<std::string, std::string> parents = reply_parents();

  static void take_head(ReplySample& sample, std::string_view head, bool& escaped) {
    for (const auto field : split(head, '|')) {
      const auto colon = field.find(':');
      const auto key = trim(field.substr(0, colon));
      const std::string value(colon == field.npos ? "" : trim(field.substr(colon + 1)));
      if (key == "name") sample.name = value;
      if (key == "mode") sample.mode = value;
      if (key == "parent") sample.parent = value;
      if (key == "entry") sample.entry = value;
      if (key == "language") sample.language = value;
      if (key == "expect") sample.expected = value;
      escaped = escaped || key == "escaped";
    }
  }

  /// What `ok` must give, in the line ends of the parent.
  std::string source(const ReplySample& sample, const std::vector<std::string>& change) const {
    const auto plus = sample.parent.find('+');
    const std::string& plain = parents.at(sample.parent.substr(0, plus));
    const std::string text = changed(plain, change);
    if (sample.parent.ends_with("+crlf")) return with_crlf(text);
    if (sample.parent.ends_with("+bom")) return "\xEF\xBB\xBF" + text;
    if (sample.parent.ends_with("+cut")) return text.substr(0, text.size() - 1);
    return text;
  }

  ReplySample sample(const std::string& file, const std::string& head,
                     const std::vector<std::string>& lines) const {
    ReplySample sample;
    sample.file = file;
    bool escaped = false;
    take_head(sample, head, escaped);
    const auto parts = sections(lines, "--- ");
    sample.reply = joined(parts[0].second);
    if (escaped) {
      sample.reply.pop_back();
      sample.reply = unescaped(sample.reply);
    }
    for (const auto& [kind, body] : parts) {
      if (kind == "change") sample.source = source(sample, body);
      if (kind == "result") sample.source = joined(body);
      if (kind == "says") sample.says = body;
    }
    return sample;
  }
};

}  // namespace

std::map<std::string, std::string> reply_parents() {
  std::map<std::string, std::string> parents;
  for (const auto& [name, lines] : sections(lines_of(read(folder / "parents.txt")), "=== ")) {
    if (name.empty()) continue;
    const std::string text = unescaped(joined(lines));
    parents[name] = text;
    parents[name + "+crlf"] = with_crlf(text);
    parents[name + "+bom"] = "\xEF\xBB\xBF" + text;
    parents[name + "+cut"] = text.substr(0, text.empty() ? 0 : text.size() - 1);
  }
  return parents;
}

std::vector<ReplySample> reply_samples() {
  const Reader reader;
  std::vector<ReplySample> samples;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "parents.txt") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const auto& path : files) {
    for (const auto& [head, lines] : sections(lines_of(read(path)), "=== ")) {
      if (!head.empty()) samples.push_back(reader.sample(path.filename(), head, lines));
    }
  }
  return samples;
}

SourceRule function_rule(std::string entry, std::string_view parent) {
  const bool by_name = !defines(parent, entry);
  return {[entry, by_name](std::string_view text) {
            const bool holds = entry.empty() || defines(text, entry);
            if (holds || (by_name && mentions(text, entry))) return std::string();
            return "it defines no function '" + entry + "'";
          },
          [](std::string_view) { return true; }};
}

SourceRule rule_of(const ReplySample& sample, std::string_view parent) {
  if (sample.language.empty()) return function_rule(sample.entry, parent);
  return whole_kernel(*find_language(sample.language), parent);
}

}  // namespace ke
