#include "tests/operators/llm/corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "core/language.hpp"
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

/// Decodes \n \r \t \\ \xHH, and {{3*text}} as texttexttext.
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

/// Applies lines `@N` (continue after line N), `-N` (drop line N) and `+text`.
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

/// Lines after each line that begins with `start`, keyed by that line.
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

/// Placeholders of every_language.txt that stand for a language's own text.
class LanguageWords {
 public:
  explicit LanguageWords(const Language& language) : language_(language) {
    const auto lines = lines_of(language.example);
    const std::string title = language.comment + " Sums of rows, second version.";
    std::vector<std::string> half(lines.begin(),
                                  lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2));
    half[0] = title;
    words_ = {{"label", language.fences.front()},
              {"file", language.file},
              {"comment", language.comment},
              {"entry", language.entry == EntryRule::c_function ? "kernel" : "@launch"},
              {"first", lines.front()},
              {"title", title},
              {"fragment", lines.at(lines.size() - 3)},
              {"half", without_end(joined(half))},
              {"parent", without_end(language.example)},
              {"kernel", title + without_end(language.example.substr(lines.front().size()))}};
  }

  bool launches() const { return language_.entry != EntryRule::c_function; }
  const std::string& kernel() const { return words_.at("kernel"); }

  /// Inserted lines take the indentation of the placeholder's line.
  std::string put_into(std::string text) const {
    for (const auto& [word, value] : words_) {
      const std::string mark = "{{" + word + "}}";
      for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
        const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        const std::string blanks(text.find_first_not_of(' ', begin) - begin, ' ');
        std::string indented;
        for (const char c : value) indented += c == '\n' ? "\n" + blanks : std::string(1, c);
        text.replace(at, mark.size(), indented);
        at += indented.size();
      }
    }
    return text;
  }

 private:
  static std::string without_end(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

  const Language& language_;
  std::map<std::string, std::string> words_;
};

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

  /// Expected source for `ok`, with the line ends of the parent.
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

/// Samples of every_language.txt in one language.
std::vector<ReplySample> samples_in(const Language& language) {
  const LanguageWords words(language);
  std::vector<ReplySample> samples;
  const std::string text = read(folder / "every_language.txt");
  for (const auto& section : sections(lines_of(text), "=== ")) {
    const std::string& head = section.first;
    const auto& lines = section.second;
    const auto says = [&](std::string_view word) { return head.find(word) != head.npos; };
    if (head.empty() || (says("| launches") && !words.launches())) continue;
    ReplySample sample;
    bool plain = false;
    Reader::take_head(sample, head, plain);
    sample.file = "every_language.txt";
    sample.name += "_in_" + language.name;
    sample.language = language.name;
    sample.parent = language.name + " example";
    const auto parts = sections(lines, "--- ");
    sample.reply = words.put_into(joined(parts[0].second));
    if (says("| crlf")) sample.reply = with_crlf(sample.reply);
    if (says("| bom")) sample.reply = "\xEF\xBB\xBF" + sample.reply;
    if (sample.expected == "ok") sample.source = words.kernel() + "\n";
    for (const auto& [kind, body] : parts) {
      if (kind == "result") sample.source = words.put_into(joined(body));
      if (kind != "says") continue;
      for (const std::string& line : body) sample.says.push_back(words.put_into(line));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

std::map<std::string, std::string> reply_parents() {
  std::map<std::string, std::string> parents;
  for (const Language& language : languages()) {
    parents[language.name + " example"] = language.example;
  }
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
    const auto name = entry.path().filename();
    if (name.extension() != ".txt" || name == "parents.txt" || name == "every_language.txt")
      continue;
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& path : files) {
    for (const auto& [head, lines] : sections(lines_of(read(path)), "=== ")) {
      if (!head.empty()) samples.push_back(reader.sample(path.filename(), head, lines));
    }
  }
  for (const Language& language : languages()) {
    for (ReplySample& sample : samples_in(language)) samples.push_back(std::move(sample));
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
