#include "fitness/host/build/source_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "fitness/host/build/flags.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_finding = 120;
constexpr std::size_t max_policy_flags = 16;
constexpr std::size_t longest_delimiter = 16;  // for raw strings
constexpr int most_open_strings = 64;          // each costs a search to the end of the text

// The text with comments replaced by blanks and spliced lines joined. A splice moves its line break
// behind the joined line, so lines can still be counted. Strings stay, because `.incbin` occurs in
// them.
class Cleaner {
 public:
  explicit Cleaner(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  bool sees(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void step() {
    if (sees("\\\n")) return splice();
    if (sees("//")) return skip_line();
    if (sees("/*")) return skip_block();
    if (sees("R\"")) return copy_raw();
    if (text_[at_] == '"' || text_[at_] == '\'') return copy_quoted(text_[at_]);
    copy();
  }
  void copy() {
    const char c = text_[at_++];
    out_ += c;
    if (c == '\n') {
      out_.append(owed_, '\n');
      owed_ = 0;
    }
  }
  void splice() {
    at_ += 2;
    ++owed_;
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (sees("\\\n"))
        splice();
      else
        ++at_;
    }
  }
  void skip_block() {
    const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
    owed_ += static_cast<std::size_t>(std::count(text_.begin() + at_, text_.begin() + end, '\n'));
    out_ += ' ';
    at_ = std::min(end + 2, text_.size());
  }
  void copy_raw() {
    const std::size_t open = text_.substr(at_, longest_delimiter + 3).find('(');
    if (open == std::string_view::npos || open_strings_ > most_open_strings) return copy();
    const std::size_t limit = at_ + open;
    const std::string close = ")" + std::string(text_.substr(at_ + 2, limit - at_ - 2)) + "\"";
    const std::size_t end = text_.find(close, limit);
    open_strings_ += end == std::string_view::npos ? 1 : 0;
    const std::size_t stop =
        end == std::string_view::npos ? at_ + 2 : std::min(end + close.size(), text_.size());
    out_ += text_.substr(at_, stop - at_);
    at_ = stop;
  }
  void copy_quoted(char quote) {
    copy();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (sees("\\\n")) {
        splice();
        continue;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) copy();
      copy();
    }
    if (at_ < text_.size()) copy();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t owed_ = 0;
  int open_strings_ = 0;  ///< strings without an end
  std::string out_;
};

// The text after `#` of a directive line, or nothing.
std::optional<std::string_view> directive(std::string_view line) {
  line = trim(line);
  if (line.starts_with("#")) return trim(line.substr(1));
  if (line.starts_with("%:")) return trim(line.substr(2));
  return std::nullopt;
}

bool is_bad_include(std::string_view directive) {
  if (!directive.starts_with("include") && !directive.starts_with("import")) return false;
  const std::size_t open = directive.find_first_of("<\"");
  if (open == std::string_view::npos) return false;  // a macro: left to the sandbox
  const std::string_view path = trim(directive.substr(open + 1));
  return path.starts_with("/") || path.starts_with("~") ||
         path.find("..") != std::string_view::npos;
}

bool is_policy(std::string_view line) {
  for (const char* word :
       {"GCC optimize", "GCC target", "STDC FP_CONTRACT", "optimize(", "optimize (", "optimize__(",
        "optimize__ (", "target(", "target (", "target__(", "target__ (", "target_clones"}) {
    if (line.find(word) == std::string_view::npos) continue;
    if (line.find("pragma") != std::string_view::npos &&
        line.find("GCC") == std::string_view::npos && line.find("STDC") == std::string_view::npos) {
      continue;  // such as `#pragma omp target`
    }
    if (line.find("attribute") != std::string_view::npos ||
        line.find("ragma") != std::string_view::npos ||
        line.find("gnu::") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

SourceCheck check_source(std::string_view source) {
  SourceCheck check;
  const std::string clean = Cleaner(source).run();
  int number = 0;
  for (const std::string_view whole : split(clean, '\n')) {
    const std::string_view line = trim(whole);
    ++number;
    const auto command = directive(line);
    const bool include = command && is_bad_include(*command);
    if (include || line.find(".incbin") != std::string_view::npos) {
      check.forbidden = include ? "forbidden_include" : "forbidden_directive";
      check.detail = line.substr(0, longest_finding);
      check.line = number;
      return check;
    }
    if (is_policy(line) && check.policy_flags.size() < max_policy_flags) {
      check.policy_flags.emplace_back(line.substr(0, longest_finding));
    }
  }
  return check;
}

std::optional<Refusal> read_declarations(const Kernel& kernel, const std::string& file_name,
                                         ExtraFlags extra, DeclaredKernel& declared) {
  auto space = parse_kernel_space(kernel.name.empty() ? file_name : kernel.name, kernel.source);
  if (!space) return Refusal{"bad_declaration", space.error().message};
  Kernel judged = kernel;
  if (extra == ExtraFlags::taken && judged.flags.size() > space->flag_genes.size()) {
    judged.flags.resize(space->flag_genes.size());
  }
  if (!space->admits(judged)) {
    return Refusal{"bad_knobs",
                   "a knob has no declared value, or a @require constraint does not hold"};
  }
  declared.space = *std::move(space);
  declared.flags = declared.space.flags(kernel);
  declared.macros = declared.space.macros(kernel);
  return std::nullopt;
}

std::optional<Refusal> check_kernel(const Kernel& kernel, const std::string& file_name,
                                    ExtraFlags extra, DeclaredKernel& declared) {
  SourceCheck seen = check_source(kernel.source);
  if (seen.forbidden) {
    return Refusal{*seen.forbidden, fmt::format("line {}: {}", seen.line, seen.detail)};
  }
  declared.policy_flags = std::move(seen.policy_flags);
  return read_declarations(kernel, file_name, extra, declared);
}

std::optional<Refusal> check_defines(
    const std::vector<std::pair<std::string, std::string>>& macros) {
  for (const auto& [macro, value] : macros) {
    if (!is_allowed_define(macro, value)) return Refusal{"forbidden_define", macro + "=" + value};
  }
  return std::nullopt;
}

}  // namespace ke
