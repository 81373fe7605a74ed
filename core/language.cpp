#include "core/language.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "core/language_texts.hpp"
#include "core/text.hpp"

namespace ke {
namespace {

enum class Paren { other, call, def };  ///< tokens before a '(': other, name, `def` name

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The word that ends at `end`, ignoring blanks before `end`; sets `end` to the word's start.
std::string_view word_before(std::string_view code, std::size_t& end) {
  while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '\n' || code[end - 1] == '\t')) --end;
  const std::size_t stop = end;
  while (end > 0 && in_word(code[end - 1])) --end;
  return code.substr(end, stop - end);
}

Paren before(std::string_view code, std::size_t paren, std::string_view name) {
  if (word_before(code, paren) != name) return Paren::other;
  return word_before(code, paren) == "def" ? Paren::def : Paren::call;
}

/// Whether a function body follows the parameters.
bool has_body(std::string_view behind, Paren paren) {
  const std::size_t end = behind.find_first_of("{};,=()\"");
  const std::string_view between = behind.substr(0, end);
  if (paren == Paren::def) return between.find(':') != between.npos;
  return end != behind.npos && behind[end] == '{' && between.find(':') == between.npos;
}

/// True if token pasting could form the name: `ker##nel` for `kernel`.
bool pastes(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find("##"); at != line.npos; at = line.find("##", at + 2)) {
    std::size_t begin = at;
    const std::string_view front = word_before(line, begin);
    std::size_t first = at + 2;
    while (first < line.size() && line[first] == ' ') ++first;
    std::size_t end = first;
    while (end < line.size() && in_word(line[end])) ++end;
    const std::string_view back = line.substr(first, end - first);
    if (!front.empty() && name.starts_with(front)) return true;
    if (!back.empty() && name.ends_with(back)) return true;
  }
  return false;
}

constexpr std::string_view shared_prefix = "shared_";
constexpr std::string_view shipped[] = {
#define KE_LANGUAGE(name) #name,
#include "core/languages/languages.def"
#undef KE_LANGUAGE
};

std::string_view text_named(std::string_view name) {
  const auto all = language_texts();
  const auto found = std::ranges::find(all, name, &LanguageText::name);
  return found == all.end() ? std::string_view() : found->text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

/// Replaces each line `{{name}}` by the shared text of that name.
Result<std::string> filled(std::string_view name, std::string_view rules,
                           std::string_view comment) {
  std::string text;
  for (const std::string_view line : split(trim(rules), '\n')) {
    if (!line.starts_with("{{") || !line.ends_with("}}")) {
      text += std::string(line) + "\n";
      continue;
    }
    const std::string part(line.substr(2, line.size() - 4));
    std::string shared(text_named(std::string(shared_prefix) + part));
    if (shared.empty()) {
      return Error{Failure::config,
                   fmt::format("{}: there is no text '{}{}.txt'", name, shared_prefix, part)};
    }
    constexpr std::string_view mark = "{{comment}}";
    for (std::size_t at = shared.find(mark); at != shared.npos; at = shared.find(mark, at)) {
      shared.replace(at, mark.size(), comment);
    }
    text += shared + "\n";
  }
  return text;
}

/// Stores one `key: value` of the head in the language; false for an unknown key.
bool take_key(std::string_view key, std::string_view value, Language& to) {
  const std::pair<std::string_view, std::string*> texts[] = {
      {"title", &to.title},     {"kernels", &to.kernels}, {"comment", &to.comment},
      {"keyword", &to.keyword}, {"port_of", &to.port_of}, {"compiler", &to.compiler},
      {"example", &to.file},    {"device", &to.device}};
  for (const auto& [name, text] : texts) {
    if (name == key) return *text = value, true;
  }
  const std::pair<std::string_view, std::vector<std::string>*> lists[] = {{"endings", &to.endings},
                                                                          {"fences", &to.fences},
                                                                          {"modules", &to.modules},
                                                                          {"kinds", &to.kinds}};
  for (const auto& [name, list] : lists) {
    if (name == key) return *list = words_of(value), true;
  }
  return false;
}

Result<EntryRule> entry_rule(std::string_view name, std::string_view value) {
  if (value == "c_function") return EntryRule::c_function;
  if (value == "launched") return EntryRule::launched;
  if (value == "decorated") return EntryRule::decorated;
  return Error{
      Failure::config,
      fmt::format("{}: entry: '{}' is not one of c_function, launched, decorated", name, value)};
}

Result<void> read_head(std::string_view head, Language& to) {
  for (const std::string_view line : split(head, '\n')) {
    if (trim(line).empty()) continue;
    const std::size_t colon = line.find(':');
    const std::string_view key = trim(line.substr(0, colon));
    const std::string_view value = colon == line.npos ? "" : trim(line.substr(colon + 1));
    if (key == "entry") {
      KE_TRY(to.entry, entry_rule(to.name, value));
    } else if (!take_key(key, value, to)) {
      return Error{Failure::config, fmt::format("{}: unknown key '{}'", to.name, key)};
    }
  }
  if (to.title.empty() || to.endings.empty() || to.fences.empty() || to.comment.empty()) {
    return Error{Failure::config,
                 to.name + ": title, endings, fences and comment must all be given"};
  }
  if ((to.entry == EntryRule::c_function) != to.keyword.empty()) {
    return Error{Failure::config, to.name + ": keyword goes with entry: launched or decorated"};
  }
  return {};
}

std::vector<Language> read_shipped() {
  std::vector<Language> list;
  for (const std::string_view name : shipped) {
    auto language = parse_language(name, text_named(name));
    KE_CHECK(language);
    list.push_back(*std::move(language));
  }
  return list;
}

/// The names after @launch in the comments of a source.
std::vector<std::string> launched_names(std::string_view source) {
  std::vector<std::string> names;
  for (const std::string_view line : split(source, '\n')) {
    std::string_view declared = declaration_in(line);
    if (take_word(declared) != "@launch") continue;
    names.emplace_back(take_word(declared));
  }
  return names;
}

/// "cutlass" for "import cutlass.cute as cute" and for "from cutlass import cute", or "".
std::string_view imported(std::string_view line) {
  for (const std::string_view word : {"import ", "from "}) {
    if (!line.starts_with(word)) continue;
    const std::string_view rest = trim(line.substr(word.size()));
    return rest.substr(0, rest.find_first_of(" .,\r"));
  }
  return {};
}

bool ends_like(const Language& language, std::string_view path) {
  return std::ranges::any_of(language.endings,
                             [&](const std::string& ending) { return path.ends_with(ending); });
}

bool holds(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::string missing_function(std::string_view source, std::string_view parent) {
  constexpr std::string_view entry = "kernel";
  const bool by_name = !parent.empty() && !defines(parent, entry);
  if (defines(source, entry) || (by_name && mentions(source, entry))) return {};
  return "it defines no function 'kernel'";
}

std::string missing_launches(const Language& language, std::string_view source,
                             std::string_view parent) {
  const auto names = launched_names(source);
  if (names.size() > most_launches) {
    return fmt::format("it has more than {} @launch lines", most_launches);
  }
  if (names.empty()) {
    return fmt::format("it has no launch plan: no comment line '{} @launch KERNEL grid=(..)'",
                       language.comment);
  }
  for (const std::string& name : names) {
    const bool by_macro = !parent.empty() && mentions(parent, name) && !defines(parent, name);
    if (!defines(source, name) && !by_macro && !macro_may_define(source, name)) {
      return fmt::format("@launch names '{}', which it does not define", name);
    }
  }
  if (source.find(language.keyword) != source.npos) return {};
  return fmt::format("it has no function under '{}'", language.keyword);
}

}  // namespace

bool mentions(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_word(code[at - 1])) && (end == code.size() || !in_word(code[end]))) {
      return true;
    }
  }
  return name.empty();
}

bool defines(std::string_view code, std::string_view name) {
  std::vector<Paren> open;
  for (std::size_t at = code.find_first_of("()"); at != code.npos;
       at = code.find_first_of("()", at + 1)) {
    if (code[at] == '(') {
      open.push_back(before(code, at, name));
    } else if (!open.empty()) {
      if (open.back() != Paren::other && has_body(code.substr(at + 1), open.back())) return true;
      open.pop_back();
    }
  }
  return false;
}

bool macro_may_define(std::string_view code, std::string_view name) {
  if (code.find("#define") == code.npos) return false;
  return std::ranges::any_of(split(code, '\n'), [&](std::string_view line) {
    return !trim(line).starts_with("//") && (mentions(line, name) || pastes(line, name));
  });
}

std::span<const Language> languages() {
  static const std::vector<Language> all = read_shipped();
  return all;
}

const Language* find_language(std::string_view name) {
  const auto all = languages();
  const auto found = std::ranges::find(all, name, &Language::name);
  return found == all.end() ? nullptr : &*found;
}

const Language& language_of_kernels(std::string_view kernels) {
  const auto all = languages();
  const auto found = std::ranges::find(all, kernels, &Language::kernels);
  return found == all.end() ? *find_language("cpp") : *found;
}

const Language* language_of_file(std::string_view path, std::string_view source) {
  const Language* first = nullptr;
  std::vector<const Language*> by_import;
  for (const Language& language : languages()) {
    if (!ends_like(language, path) || language.kernels != language.name) continue;
    if (!language.modules.empty()) by_import.push_back(&language);
    if (language.modules.empty() && first == nullptr) first = &language;
  }
  if (by_import.empty()) return first;
  for (const std::string_view line : split(source, '\n')) {
    for (const Language* language : by_import) {
      if (holds(language->modules, imported(line))) return language;
    }
  }
  return find_language("triton");
}

Result<Language> parse_language(std::string_view name, std::string_view description) {
  constexpr std::string_view rule = "\n---\n";
  const std::string text = std::string(description) + "\n";
  const std::size_t head = text.find(rule);
  const std::size_t rules = head == text.npos ? head : text.find(rule, head + 1);
  if (rules == text.npos) {
    return Error{Failure::config,
                 fmt::format("{}: expected a head, rules and an example with '---' between", name)};
  }
  Language language;
  language.name = language.kernels = name;
  KE_TRY_VOID(read_head(std::string_view(text).substr(0, head), language));
  const std::string body = text.substr(head + rule.size(), rules - head - rule.size());
  KE_TRY(language.rules, filled(name, body, language.comment));
  language.example = text.substr(rules + rule.size());
  return language;
}

std::string missing_entry(const Language& language, std::string_view source,
                          std::string_view parent) {
  if (language.entry == EntryRule::c_function) return missing_function(source, parent);
  return missing_launches(language, source, parent);
}

bool fits_fence(const Language& language, std::string_view label) {
  if (label.empty() || holds(language.fences, label)) return true;
  return std::ranges::none_of(languages(),
                              [&](const Language& other) { return holds(other.fences, label); });
}

}  // namespace ke
