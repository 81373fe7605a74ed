#include "fitness/plan/launch_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/language.hpp"
#include "core/result.hpp"
#include "core/text.hpp"

namespace ke {
namespace {

/// Splits "(a, f(b, c))" at commas outside inner parentheses; text without parentheses is one part.
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

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// One `// @word ...` or `# @word ...` with its continuation lines.
struct Declaration {
  std::string file;
  std::string word;  ///< "@launch"
  std::string text;  ///< the rest after the word
  int line = 0;

  Error error(std::string_view what) const {
    return {Failure::config, fmt::format("{}:{}: {}", file, line, what)};
  }

  /// Parses an expression of this declaration.
  Result<PlacedExpression> expression(std::string_view what, std::string_view given) const {
    auto parsed = Expression::parse(trim(given));
    if (!parsed) return error(fmt::format("{}: {}", what, parsed.error().message));
    return PlacedExpression{std::string(what), *std::move(parsed), line};
  }

  /// Parses "(a, b)" or a single "a"; appends `names` to `what` for messages: grid.x, grid.y.
  Result<std::vector<PlacedExpression>> expressions(std::string_view what, std::string_view given,
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
};

/// `key=value` pairs and flags after the leading words.
struct KeyValues {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::vector<std::string> flags;

  const std::string* find(std::string_view key) const {
    for (const auto& [name, value] : pairs) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  bool has_flag(std::string_view flag) const { return contains(flags, flag); }
};

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

/// All declarations of a source, except those for other readers (@task, @knob, ...). Errors: a
/// continuation without a beginning; words that plans refuse, or nearly match a known one.
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

/// Splits at blanks that precede known keys and flags, outside parentheses. Errors: an unknown word
/// or key, a duplicate key, unbalanced parentheses.
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

constexpr std::size_t most_stages = most_launches;
constexpr std::size_t most_scratch = 16;

Result<std::string> take_name(const Declaration& at, std::string_view& text,
                              std::string_view what) {
  const std::string_view word = take_word(text);
  if (is_identifier(word)) return std::string(word);
  return at.error(fmt::format("{}: expected the name of a {}, got '{}'", at.word, what, word));
}

Result<PlanArgument> parse_argument(const Declaration& at, std::size_t index,
                                    const std::string& text) {
  PlanArgument argument;
  argument.line = at.line;
  argument.text = text;
  const std::string what = fmt::format("args[{}]", index);
  std::string_view expression = text;
  for (const auto& [prefix, kind] : {std::pair{"int32(", PlanArgument::Kind::int32},
                                     std::pair{"int64(", PlanArgument::Kind::int64}}) {
    if (!text.starts_with(prefix) || text.back() != ')') continue;
    argument.kind = kind;
    expression = std::string_view(text).substr(6, text.size() - 7);
  }
  if (argument.kind == PlanArgument::Kind::word && is_identifier(text)) return argument;
  if (argument.kind == PlanArgument::Kind::word) argument.kind = PlanArgument::Kind::size;
  KE_TRY(argument.value, at.expression(what, expression));
  return argument;
}

Result<std::vector<PlanArgument>> parse_arguments(const Declaration& at, const std::string& text) {
  std::vector<PlanArgument> arguments;
  const auto parts = split_list(text);
  if (parts.size() == 1 && parts[0].empty()) return arguments;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KE_TRY(arguments.emplace_back(), parse_argument(at, i, parts[i]));
  }
  return arguments;
}

Result<std::optional<PlacedExpression>> optional_expression(const Declaration& at,
                                                            const KeyValues& values,
                                                            std::string_view key) {
  const std::string* text = values.find(key);
  if (text == nullptr) return std::optional<PlacedExpression>();
  KE_TRY(PlacedExpression expression, at.expression(key, *text));
  return std::optional(std::move(expression));
}

Result<std::vector<PlacedExpression>> dimensions(const Declaration& at, const KeyValues& values,
                                                 std::string_view key, std::string_view names,
                                                 bool needed) {
  const std::string* text = values.find(key);
  if (text != nullptr) return at.expressions(key, *text, names);
  if (needed) return at.error(fmt::format("{}: {}=(...) is missing", at.word, key));
  return std::vector<PlacedExpression>();
}

Result<KeyValues> launch_values(const Declaration& at, std::string_view text, BlockFrom block) {
  if (block == BlockFrom::compiler) return read_key_values(at, text, {"grid", "when", "args"}, {});
  return read_key_values(at, text,
                         {"grid", "block", "shared", "cluster", "carveout", "when", "args"},
                         {"cooperative", "pdl"});
}

Result<PlanStage> parse_launch(const Declaration& at, BlockFrom block) {
  PlanStage stage;
  stage.line = at.line;
  std::string_view rest = at.text;
  LaunchStage launch;
  KE_TRY(launch.kernel, take_name(at, rest, "kernel"));
  KE_TRY(const KeyValues values, launch_values(at, rest, block));
  KE_TRY(launch.grid, dimensions(at, values, "grid", "xyz", true));
  KE_TRY(launch.block, dimensions(at, values, "block", "xyz", block == BlockFrom::plan));
  KE_TRY(launch.cluster, dimensions(at, values, "cluster", "xyz", false));
  KE_TRY(launch.shared, optional_expression(at, values, "shared"));
  KE_TRY(launch.carveout, optional_expression(at, values, "carveout"));
  KE_TRY(stage.when, optional_expression(at, values, "when"));
  if (const std::string* text = values.find("args")) {
    KE_TRY(launch.arguments, parse_arguments(at, *text));
  }
  launch.cooperative = values.has_flag("cooperative");
  launch.pdl = values.has_flag("pdl");
  stage.launch = std::move(launch);
  return stage;
}

Result<Dtype> scratch_type(const Declaration& at, std::string_view word) {
  if (const auto type = dtype_named(word)) return *type;
  return at.error(
      fmt::format("@scratch: type '{}' is not one of {}", word, fmt::join(dtype_names, ", ")));
}

Result<Scratch> parse_scratch(const Declaration& at) {
  Scratch scratch;
  scratch.line = at.line;
  std::string_view rest = at.text;
  KE_TRY(scratch.name, take_name(at, rest, "scratch buffer"));
  KE_TRY(scratch.type, scratch_type(at, take_word(rest)));
  const std::size_t close = rest.find(']');
  if (rest.empty() || rest[0] != '[' || close == rest.npos) {
    return at.error("@scratch " + scratch.name + ": expected its shape, like [rows, 32]");
  }
  const auto parts = split_list("(" + std::string(rest.substr(1, close - 1)) + ")");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KE_TRY(scratch.shape.emplace_back(),
           at.expression(fmt::format("scratch {}[{}]", scratch.name, i), parts[i]));
  }
  const std::string_view last = trim(rest.substr(close + 1));
  scratch.zeroed = last == "zeroed";
  if (!last.empty() && !scratch.zeroed) {
    return at.error(fmt::format("@scratch {}: '{}' is not 'zeroed'", scratch.name, last));
  }
  return scratch;
}

Result<PlanStage> parse_memset(const Declaration& at) {
  PlanStage stage;
  stage.line = at.line;
  std::string_view rest = at.text;
  MemsetStage memset;
  KE_TRY(memset.target, take_name(at, rest, "tensor or scratch buffer"));
  if (rest.empty() || rest[0] != '=') return at.error("@memset: expected 'NAME = BYTE'");
  KE_TRY(memset.value, at.expression("memset " + memset.target, rest.substr(1)));
  stage.memset = std::move(memset);
  return stage;
}

Result<PlanStage> parse_copy(const Declaration& at) {
  PlanStage stage;
  stage.line = at.line;
  std::string_view rest = at.text;
  CopyStage copy;
  KE_TRY(copy.source, take_name(at, rest, "tensor"));
  if (!rest.starts_with("->")) return at.error("@copy: expected 'TENSOR -> SYMBOL'");
  rest.remove_prefix(2);
  KE_TRY(copy.symbol, take_name(at, rest, "variable of the source"));
  if (!rest.empty()) return at.error(fmt::format("@copy: unexpected '{}'", rest));
  stage.copy = std::move(copy);
  return stage;
}

Result<std::string> word_of(const Declaration& at, const KeyValues& values, std::string_view key,
                            std::string usual, const std::vector<std::string>& allowed) {
  const std::string* text = values.find(key);
  if (text == nullptr) return usual;
  if (std::ranges::find(allowed, *text) != allowed.end()) return *text;
  return at.error(
      fmt::format("@tensor_map: {} = {} is not one of {}", key, *text, fmt::join(allowed, ", ")));
}

Result<TensorMapDeclaration> parse_map(const Declaration& at) {
  TensorMapDeclaration map;
  map.line = at.line;
  std::string_view rest = at.text;
  KE_TRY(map.name, take_name(at, rest, "tensor map"));
  if (take_word(rest) != "of") return at.error("@tensor_map: expected 'NAME of TENSOR'");
  KE_TRY(map.tensor, take_name(at, rest, "tensor"));
  KE_TRY(const KeyValues values, read_key_values(at, rest,
                                                 {"dims", "strides", "box", "element_strides",
                                                  "interleave", "swizzle", "promotion", "fill"},
                                                 {}));
  KE_TRY(map.dims, dimensions(at, values, "dims", "01234", true));
  KE_TRY(map.strides, dimensions(at, values, "strides", "1234", map.dims.size() > 1));
  KE_TRY(map.box, dimensions(at, values, "box", "01234", true));
  KE_TRY(map.element_strides, dimensions(at, values, "element_strides", "01234", false));
  KE_TRY(map.interleave, word_of(at, values, "interleave", "none", {"none", "16B", "32B"}));
  KE_TRY(map.swizzle, word_of(at, values, "swizzle", "none", {"none", "32B", "64B", "128B"}));
  KE_TRY(map.promotion, word_of(at, values, "promotion", "none", {"none", "64B", "128B", "256B"}));
  KE_TRY(map.fill, word_of(at, values, "fill", "zero", {"zero", "nan"}));
  const std::size_t rank = map.dims.size();
  if (map.box.size() != rank || map.strides.size() + 1 != rank ||
      (!map.element_strides.empty() && map.element_strides.size() != rank)) {
    return at.error(fmt::format(
        "@tensor_map {}: {} dims need {} strides, {} box and as many element_strides; got {}, {}, "
        "{}",
        map.name, rank, rank - 1, rank, map.strides.size(), map.box.size(),
        map.element_strides.size()));
  }
  return map;
}

Result<PointerTable> parse_table(const Declaration& at) {
  PointerTable table;
  table.line = at.line;
  std::string_view rest = at.text;
  KE_TRY(table.name, take_name(at, rest, "table"));
  if (rest.empty() || rest[0] != '=') return at.error("@pointers: expected 'NAME = (TENSOR, ..)'");
  table.tensors = split_list(rest.substr(1));
  return table;
}

Result<void> parse_one(const Declaration& at, BlockFrom block, LaunchPlan& plan) {
  if (at.word == "@launch") {
    KE_TRY(plan.stages.emplace_back(), parse_launch(at, block));
  } else if (at.word == "@memset") {
    KE_TRY(plan.stages.emplace_back(), parse_memset(at));
  } else if (at.word == "@copy") {
    KE_TRY(plan.stages.emplace_back(), parse_copy(at));
  } else if (at.word == "@scratch") {
    KE_TRY(plan.scratch.emplace_back(), parse_scratch(at));
  } else if (at.word == "@tensor_map") {
    KE_TRY(plan.maps.emplace_back(), parse_map(at));
  } else {
    KE_TRY(plan.tables.emplace_back(), parse_table(at));
  }
  if (plan.stages.size() > most_stages || plan.scratch.size() > most_scratch) {
    return at.error(fmt::format("at most {} stages and {} scratch buffers are allowed", most_stages,
                                most_scratch));
  }
  return {};
}

Result<void> check_unique(const std::vector<Declaration>& declarations, const LaunchPlan& plan) {
  std::vector<std::string> names;
  for (const Scratch& scratch : plan.scratch) names.push_back(scratch.name);
  for (const TensorMapDeclaration& map : plan.maps) names.push_back(map.name);
  for (const PointerTable& table : plan.tables) names.push_back(table.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return declarations.front().error(fmt::format("the plan names '{}' twice", *twice));
}

}  // namespace

const Scratch* LaunchPlan::find_scratch(std::string_view name) const {
  for (const Scratch& one : scratch) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Result<LaunchPlan> parse_launch_plan(std::string_view name, std::string_view source,
                                     BlockFrom block) {
  KE_TRY(const std::vector<Declaration> declarations, read_declarations(name, source));
  LaunchPlan plan;
  for (const Declaration& declaration : declarations) {
    KE_TRY_VOID(parse_one(declaration, block, plan));
  }
  const bool launches = std::ranges::any_of(
      plan.stages, [](const PlanStage& stage) { return stage.launch.has_value(); });
  if (!launches) {
    return Error{Failure::config,
                 fmt::format("{}: no launch plan: a GPU kernel needs at least one line '{}'", name,
                             block == BlockFrom::plan ? "// @launch KERNEL grid=(..) block=(..)"
                                                      : "# @launch KERNEL grid=(..)")};
  }
  KE_TRY_VOID(check_unique(declarations, plan));
  return plan;
}

}  // namespace ke
