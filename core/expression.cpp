#include "core/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/formula.hpp"
#include "core/text.hpp"

namespace ke {

struct Expression::Parsed {
  Formula formula;
  std::vector<std::string> names;  ///< in order of their first use; the formula knows their index
};

namespace {

// Parsing recurses as deep as a chain of signs; the length bounds it.
constexpr std::size_t longest_text = 2048;

std::string_view fault_text(Formula::Fault fault) {
  switch (fault) {
    case Formula::Fault::zero_divisor: return "division by zero";
    case Formula::Fault::overflow: return "64-bit overflow";
    default: return "no value";
  }
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > longest_text) {
    return Error{Failure::config, fmt::format("expression '{}...': {} characters, at most {}",
                                              text.substr(0, 40), text.size(), longest_text)};
  }
  auto parsed = std::make_shared<Parsed>();
  auto& names = parsed->names;
  parsed->formula = Formula(text, [&](std::string_view name) {
    const auto found = std::ranges::find(names, name);
    const std::int64_t index = found - names.begin();
    if (found == names.end()) names.emplace_back(name);
    return Formula::Step{Formula::Step::name, index};
  });
  if (const std::string& error = parsed->formula.error(); !error.empty()) {
    return Error{Failure::config, fmt::format("expression '{}': {}", text, error)};
  }
  Expression expression;
  expression.text_ = text;
  expression.parsed_ = std::move(parsed);
  return expression;
}

Result<std::int64_t> Expression::evaluate(const Lookup& lookup) const {
  if (!parsed_) return Error{Failure::config, "an expression that was never parsed has no value"};
  const auto value = parsed_->formula.evaluate([&](std::int64_t index) -> Formula::Value {
    const auto known = lookup(parsed_->names[static_cast<std::size_t>(index)]);
    return known ? Formula::Value{*known, Formula::Fault::none}
                 : Formula::Value{index, Formula::Fault::unknown_name};
  });
  if (value.fault == Formula::Fault::none) return value.number;
  const std::string why =
      value.fault == Formula::Fault::unknown_name
          ? fmt::format("unknown name '{}'", parsed_->names[static_cast<std::size_t>(value.number)])
          : std::string(fault_text(value.fault));
  return Error{Failure::config, fmt::format("expression '{}': {}", text_, why)};
}

std::string Expression::with_values(const Lookup& lookup) const {
  std::string shown;
  for (std::size_t at = 0; at < text_.size();) {
    std::size_t end = at + 1;
    if (may_stand_in_identifier(text_[at])) {
      while (end < text_.size() && may_stand_in_identifier(text_[end])) ++end;
      std::string word = text_.substr(at, end - at);
      const std::size_t close = text_.find(')', end);
      if (word == "occupancy" && close != text_.npos) {
        end = close + 1;
        word = text_.substr(at, end - at);
        std::erase(word, ' ');
      }
      shown += word;
      if (const auto value = lookup(word)) shown += fmt::format("={}", *value);
    } else {
      shown += text_[at];
    }
    at = end;
  }
  return shown;
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names = parsed_->names;
  std::ranges::sort(names);
  return names;
}

}  // namespace ke
