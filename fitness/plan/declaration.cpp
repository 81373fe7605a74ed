#include "fitness/plan/declaration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

const std::vector<std::string> plan_words = {"@launch",     "@scratch",  "@memset", "@copy",
                                             "@tensor_map", "@pointers", "@+"};
const std::vector<std::string> other_words = {"@task", "@knob", "@require", "@flags"};

/// Declarations that plans may not use, and why.
constexpr std::pair<std::string_view, std::string_view> refused_words[] = {
    {"@stream", "stages run in order on one stream: work on others cannot be judged fairly"},
    {"@graph", "no graphs: what they replay cannot be judged fairly"},
    {"@host", "no code of a kernel runs on the host"},
    {"@event", "no events: the judge alone takes times"},
    {"@persist", "no persisting-L2 windows: they would outlive the call"},
    {"@persisting_l2", "no persisting-L2 windows: they would outlive the call"},
    {"@device_launch", "no launches from the device"},
};

bool is_key_character(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Result<bool> is_of_plans(const Declaration& found) {
  if (contains(plan_words, found.word)) return true;
  if (contains(other_words, found.word)) return false;
  for (const auto& [word, why] : refused_words) {
    if (found.word == word) return found.error(fmt::format("{}: {}", word, why));
  }
  const std::string near = suggestion(found.word, plan_words);
  if (!near.empty() && found.word.size() > 3) {
    return found.error(fmt::format("unknown declaration '{}'{}", found.word, near));
  }
  return false;
}

/// The word that begins at `at`; it ends at a blank or '='.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_key_character(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Whether '=' follows, not a comparison.
bool assigns(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] == '=' && (at + 1 >= text.size() || text[at + 1] != '=');
}

}  // namespace

Error Declaration::error(std::string_view what) const {
  return {Failure::config, fmt::format("{}:{}: {}", file, line, what)};
}

Result<PlacedExpression> Declaration::expression(std::string_view what,
                                                 std::string_view given) const {
  auto parsed = Expression::parse(trim(given));
  if (!parsed) return error(fmt::format("{}: {}", what, parsed.error().message));
  return PlacedExpression{std::string(what), *std::move(parsed), line};
}

Result<std::vector<PlacedExpression>> Declaration::expressions(std::string_view what,
                                                               std::string_view given,
                                                               std::string_view names) const {
  const auto parts = split_list(given);
  if (parts.size() > names.size()) {
    return error(
        fmt::format("{} has {} parts, at most {} are allowed", what, parts.size(), names.size()));
  }
  std::vector<PlacedExpression> list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KE_TRY(list.emplace_back(), expression(fmt::format("{}.{}", what, names[i]), parts[i]));
  }
  return list;
}

Result<std::vector<Declaration>> read_declarations(std::string_view name, std::string_view source) {
  std::vector<Declaration> list;
  Declaration* open = nullptr;  // the declaration that a continuation extends
  int line = 0;
  for (std::string_view text : split(source, '\n')) {
    ++line;
    text = declaration_in(text);
    if (text.empty()) continue;
    Declaration found{std::string(name), std::string(text.substr(0, text.find_first_of(" \t"))), "",
                      line};
    found.text = trim(text.substr(found.word.size()));
    KE_TRY(const bool mine, is_of_plans(found));
    if (found.word == "@+") {
      if (open == nullptr) return found.error("@+ has no declaration of a plan above it");
      open->text += " " + found.text;
      continue;
    }
    open = nullptr;
    if (!mine) continue;
    list.push_back(std::move(found));
    open = &list.back();
  }
  return list;
}

const std::string* KeyValues::find(std::string_view key) const {
  for (const auto& [name, value] : pairs) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool KeyValues::has_flag(std::string_view flag) const { return contains(flags, flag); }

Result<KeyValues> read_key_values(const Declaration& at, std::string_view text,
                                  const std::vector<std::string>& keys,
                                  const std::vector<std::string>& flags) {
  KeyValues read;
  int depth = 0;
  bool fresh = true;  // at the beginning of a word outside parentheses
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view word = depth == 0 && fresh ? word_at(text, i) : std::string_view();
    if (!word.empty() && assigns(text, i + word.size())) {
      if (!contains(keys, word)) {
        return at.error(fmt::format("{}: unknown key '{}', not one of {}{}", at.word, word,
                                    fmt::join(keys, ", "), suggestion(word, keys)));
      }
      if (read.find(word) != nullptr) {
        return at.error(fmt::format("{}: '{}' stands twice", at.word, word));
      }
      read.pairs.emplace_back(word, "");
      i += word.size() + 1;
      fresh = false;
      continue;
    }
    if (!word.empty() && contains(flags, word)) {
      read.flags.emplace_back(word);
      i += word.size();
      continue;
    }
    const char c = text[i++];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    fresh = c == ' ' || c == '\t';
    if (depth < 0) break;
    if (read.pairs.empty()) {
      if (fresh) continue;
      return at.error(fmt::format("{}: '{}' is neither a key nor one of {}", at.word,
                                  trim(text.substr(i - 1)).substr(0, 40), fmt::join(flags, ", ")));
    }
    read.pairs.back().second += c;
  }
  if (depth != 0) return at.error(fmt::format("{}: parentheses do not pair up", at.word));
  for (auto& [key, value] : read.pairs) value = trim(value);
  return read;
}

std::vector<std::string> split_list(std::string_view text) {
  text = trim(text);
  std::vector<std::string> parts(1);
  const bool wrapped = !text.empty() && text.front() == '(' && text.back() == ')';
  int depth = 0;
  bool whole = wrapped;  // the first parenthesis closes at the very end, unlike in "(a) + (b)"
  for (std::size_t i = 0; i < text.size() && whole; ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    whole = depth > 0 || i + 1 == text.size();
  }
  if (whole) text = text.substr(1, text.size() - 2);
  depth = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = trim(part);
  return parts;
}

}  // namespace ke
