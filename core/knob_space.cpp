#include "core/knob_space.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::size_t most_values = 65535;  // per knob, so that a position and "none" fit 16 bits

/// The declaration line being parsed; its errors name file and line.
struct Line {
  std::string_view name;
  int number;
  Error error(std::string_view what) const {
    return {Failure::config, fmt::format("{}:{}: {}", name, number, what)};
  }
};

std::int64_t integer_of(std::string_view text) {
  return number_from<std::int64_t>(text).value_or(0);
}

/// Splits "{a, b, c} rest" into the values and the rest.
Result<std::vector<std::string>> take_set(const Line& line, std::string_view& text) {
  const std::size_t close = text.find('}');
  if (text.empty() || text[0] != '{' || close == text.npos) {
    return line.error("expected values in braces, like {1, 2, 4}");
  }
  std::vector<std::string> values;
  for (const std::string_view part : split(text.substr(1, close - 1), ',')) {
    values.emplace_back(trim(part));
  }
  text = trim(text.substr(close + 1));
  return values;
}

Result<KnobKind> knob_kind(const Line& line, std::string_view word) {
  if (word == "int") return KnobKind::integer;
  if (word == "bool") return KnobKind::boolean;
  if (word == "enum") return KnobKind::enumeration;
  return line.error(fmt::format("knob type '{}' is not one of int, bool, enum", word));
}

Result<void> check_values(const Line& line, const Knob& knob) {
  for (const auto& value : knob.values) {
    const bool fits = knob.kind == KnobKind::integer ? number_from<std::int64_t>(value).has_value()
                                                     : is_identifier(value);
    if (!fits) return line.error(fmt::format("knob {}: '{}' is not a value", knob.name, value));
  }
  auto sorted = knob.values;  // sorted, since a knob may have many values
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return {};
  return line.error(fmt::format("knob {}: value '{}' stands twice", knob.name, *twice));
}

Result<Knob> parse_knob(const Line& line, std::string_view text) {
  Knob knob;
  knob.name = take_word(text);
  if (!is_identifier(knob.name)) return line.error("expected a knob name after @knob");
  KE_TRY(knob.kind, knob_kind(line, take_word(text)));
  if (knob.kind == KnobKind::boolean) {
    knob.values = {"false", "true"};
  } else {
    KE_TRY(knob.values, take_set(line, text));
  }
  if (knob.values.size() > most_values) {
    return line.error(fmt::format("knob {}: {} values, more than {}", knob.name, knob.values.size(),
                                  most_values));
  }
  KE_TRY_VOID(check_values(line, knob));
  if (text.empty() || text[0] != '=') {
    return line.error(fmt::format("knob {}: expected '= default'", knob.name));
  }
  text = trim(text.substr(1));
  const std::string_view value = take_word(text);
  knob.default_index = knob.index_of(value);
  if (knob.default_index == knob.values.size()) {
    return line.error(fmt::format("knob {}: default '{}' is not one of {}", knob.name, value,
                                  fmt::join(knob.values, ", ")));
  }
  knob.doc = text;
  return knob;
}

/// "-funroll-loops?" is optional; "-m={a,b}" is a choice.
Result<FlagGene> parse_flag_gene(const Line& line, std::string_view text) {
  FlagGene gene;
  if (!text.empty() && text.back() == '?') {
    gene.alternatives = {"", std::string(text.substr(0, text.size() - 1))};
    return gene;
  }
  const std::size_t open = text.find('{');
  if (open == text.npos || text.back() != '}') {
    return line.error(fmt::format("flag gene '{}' must end in its {{choices}}", text));
  }
  const std::string prefix(text.substr(0, open));
  for (const std::string_view part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const std::string_view value = trim(part);
    gene.alternatives.push_back(value.empty() ? "" : prefix + std::string(value));
  }
  return gene;
}

Result<void> parse_flags(const Line& line, std::string_view text, KernelSpace& space) {
  bool first = true;
  for (const std::string_view segment : split(text, ';')) {
    std::string_view rest = trim(segment);
    // A later segment without a choice is always on as well; its author can mean nothing else.
    const bool chosen = rest.ends_with('?') || rest.find('{') != rest.npos;
    if (first || !chosen) {
      while (!rest.empty()) {
        if (rest[0] != '-') {
          return line.error(fmt::format("flag '{}' must begin with '-'", rest.substr(0, 40)));
        }
        space.fixed_flags.emplace_back(take_word(rest));
      }
    } else if (!rest.empty()) {
      KE_TRY(FlagGene gene, parse_flag_gene(line, rest));
      space.flag_genes.push_back(std::move(gene));
    }
    first = false;
  }
  return {};
}

Result<void> parse_line(const Line& line, std::string_view text, KernelSpace& space) {
  const std::string_view word = take_word(text);
  if (word == "@task") {
    space.task = text;
  } else if (word == "@knob") {
    KE_TRY(Knob knob, parse_knob(line, text));
    for (const Knob& other : space.knobs) {
      if (other.name == knob.name) return line.error("knob " + knob.name + " is declared twice");
    }
    space.knobs.push_back(std::move(knob));
  } else if (word == "@require") {
    auto expression = Expression::parse(text);
    if (!expression) return line.error(expression.error().message);
    space.constraints.push_back(*std::move(expression));
  } else if (word == "@flags") {
    KE_TRY_VOID(parse_flags(line, text, space));
  }
  return {};
}

Result<void> check_names(std::string_view name, const KernelSpace& space) {
  for (const Expression& constraint : space.constraints) {
    for (const std::string& used : constraint.names()) {
      const bool known = std::any_of(space.knobs.begin(), space.knobs.end(),
                                     [&](const Knob& knob) { return knob.name == used; });
      if (!known) {
        return Error{Failure::config, fmt::format("{}: @require {}: '{}' is not a knob", name,
                                                  constraint.text(), used)};
      }
    }
  }
  return {};
}

}  // namespace

std::size_t Knob::index_of(std::string_view value) const {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

std::int64_t Knob::number(std::string_view value) const {
  return kind == KnobKind::integer ? integer_of(value) : static_cast<std::int64_t>(index_of(value));
}

std::int64_t Knob::number_at(std::size_t position) const {
  return kind == KnobKind::integer ? integer_of(values[position])
                                   : static_cast<std::int64_t>(position);
}

Kernel KernelSpace::defaults(std::string name, std::string source) const {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.source = std::move(source);
  for (const Knob& knob : knobs) kernel.knobs[knob.name] = knob.values[knob.default_index];
  for (const FlagGene& gene : flag_genes) kernel.flags.push_back(gene.alternatives.front());
  return kernel;
}

bool KernelSpace::declares(const Kernel& kernel) const {
  const bool flags_fit = points || kernel.flags.size() == flag_genes.size();
  return flags_fit && kernel.knobs.size() == knobs.size() &&
         std::all_of(knobs.begin(), knobs.end(),
                     [&](const Knob& knob) { return kernel.knobs.contains(knob.name); });
}

bool KernelSpace::admits(const Kernel& kernel) const {
  return declares(kernel) && admits(positions(kernel));
}

bool KernelSpace::admits(std::span<const std::uint16_t> positions) const {
  if (points) return points->contains(positions);
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    if (positions[k] >= knobs[k].values.size()) return false;
  }
  const auto lookup = [&](std::string_view name) -> std::optional<std::int64_t> {
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      if (knobs[k].name == name) return knobs[k].number_at(positions[k]);
    }
    return std::nullopt;
  };
  return std::all_of(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
    const auto value = constraint.evaluate(lookup);
    return value && *value != 0;
  });
}

Positions KernelSpace::positions(const Kernel& kernel) const {
  Positions positions;
  positions.reserve(knobs.size());
  for (const Knob& knob : knobs) {
    positions.push_back(static_cast<std::uint16_t>(knob.index_of(kernel.knobs.at(knob.name))));
  }
  return positions;
}

void KernelSpace::set(std::span<const std::uint16_t> positions, Kernel& kernel) const {
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    kernel.knobs[knobs[k].name] = knobs[k].values[positions[k]];
  }
}

std::uint64_t KernelSpace::size() const {
  constexpr std::uint64_t cap = std::uint64_t{1} << 62;
  std::uint64_t size = 1;
  const auto grow = [&](std::uint64_t factor) { size = size > cap / factor ? cap : size * factor; };
  for (const Knob& knob : knobs) grow(knob.values.size());
  for (const FlagGene& gene : flag_genes) grow(gene.alternatives.size());
  return size;
}

std::optional<Kernel> KernelSpace::sample(const Kernel& base, RandomStream& random,
                                          int tries) const {
  Kernel kernel = base;
  kernel.flags.resize(flag_genes.size());
  if (points) {
    points->draw(kernel, random);
    return kernel;
  }
  for (int i = 0; i < tries; ++i) {
    for (const Knob& knob : knobs) {
      kernel.knobs[knob.name] = knob.values[random.below(knob.values.size())];
    }
    for (std::size_t g = 0; g < flag_genes.size(); ++g) {
      const auto& alternatives = flag_genes[g].alternatives;
      kernel.flags[g] = alternatives[random.below(alternatives.size())];
    }
    if (admits(kernel)) return kernel;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> KernelSpace::macros(const Kernel& kernel) const {
  std::vector<std::pair<std::string, std::string>> macros;
  for (const Knob& knob : knobs) {
    macros.emplace_back(knob.name, std::to_string(knob.number(kernel.knobs.at(knob.name))));
    if (knob.kind != KnobKind::enumeration) continue;
    for (std::size_t i = 0; i < knob.values.size(); ++i) {
      macros.emplace_back(knob.name + "_" + knob.values[i], std::to_string(i));
    }
  }
  return macros;
}

std::vector<std::string> KernelSpace::flags(const Kernel& kernel) const {
  std::vector<std::string> flags = fixed_flags;
  for (const std::string& flag : kernel.flags) {
    if (!flag.empty()) flags.push_back(flag);
  }
  return flags;
}

Result<KernelSpace> parse_kernel_space(std::string_view name, std::string_view source) {
  KernelSpace space;
  Line line{name, 0};
  for (std::string_view text : split(source, '\n')) {
    ++line.number;
    text = declaration_in(text);
    if (!text.empty()) KE_TRY_VOID(parse_line(line, text, space));
  }
  KE_TRY_VOID(check_names(name, space));
  return space;
}

}  // namespace ke
