#include "experiments/cli/verb.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/program_options.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/text.hpp"

namespace ke {
std::string VerbOption::type() const {
  if (value.empty()) return "switch";
  if (bounds) return "integer";
  return choices.empty() ? "text" : "word";
}

std::string VerbOption::range() const {
  if (bounds) return fmt::format("[{}, {}]", bounds->low, bounds->high);
  return fmt::format("{}", fmt::join(choices, " | "));
}

Arguments::Arguments(std::vector<VerbOption> options, std::vector<Given> given,
                     std::vector<std::string> positionals)
    : options_(std::move(options)),
      given_(std::move(given)),
      positionals_(std::move(positionals)) {}

bool Arguments::has(std::string_view name) const {
  return std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.name == name; });
}

const VerbOption& Arguments::declared(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const VerbOption& o) { return o.name == name; });
  KE_CHECK(found != options_.end());
  return *found;
}

std::string Arguments::text(std::string_view name) const {
  for (const Given& given : given_) {
    if (given.name == name) return given.value;
  }
  return declared(name).fallback;
}

Result<std::int64_t> Arguments::integer(std::string_view name) const {
  const auto& bounds = declared(name).bounds;
  KE_CHECK(bounds.has_value());
  const std::string value = text(name);
  const auto number = number_from<std::int64_t>(value);
  if (number && *number >= bounds->low && *number <= bounds->high) return *number;
  return Error{Failure::usage, fmt::format("--{} = {} is not an integer in [{}, {}]", name, value,
                                           bounds->low, bounds->high)};
}

std::vector<std::string> Arguments::words() const {
  std::vector<std::string> words;
  for (const Given& given : given_) {
    const bool is_switch = declared(given.name).value.empty();
    words.push_back("--" + given.name + (is_switch ? "" : "=" + given.value));
  }
  words.emplace_back("--");
  words.insert(words.end(), positionals_.begin(), positionals_.end());
  return words;
}

void split_overrides(const std::vector<std::string>& words, std::vector<std::string>& paths,
                     std::vector<std::string>& overrides) {
  for (const std::string& word : words) {
    const bool exists = std::filesystem::exists(word);
    (word.find('=') != std::string::npos && !exists ? overrides : paths).push_back(word);
  }
}

VerbOption until_waiting_option() {
  return {"until-waiting", 0, "", "",
          "end with 8 when all that is left to do waits for answers in a mailbox"};
}

namespace {

namespace po = boost::program_options;

/// Describes the range and the default, if there are any.
std::string remark(const VerbOption& option) {
  std::string text;
  if (const std::string range = option.range(); !range.empty()) text += " " + range;
  if (!option.fallback.empty()) text += fmt::format(" (default: {})", option.fallback);
  return text;
}

po::options_description describe(const Verb& verb) {
  po::options_description description("Options");
  for (const VerbOption& option : options_of(verb)) {
    const std::string names =
        option.letter == 0 ? option.name : fmt::format("{},{}", option.name, option.letter);
    const std::string doc = option.doc + remark(option);
    if (option.value.empty()) {
      description.add_options()(names.c_str(), doc.c_str());
    } else {
      auto* value = po::value<std::string>()->value_name(option.value);
      description.add_options()(names.c_str(), value, doc.c_str());
    }
  }
  return description;
}

Error usage(const Verb& verb, const std::string& what) {
  return {Failure::usage,
          fmt::format("{}: {}; see 'kernelevolve {} --help'", verb.name, what, verb.name)};
}

Error unknown_option(const Verb& verb, const po::unknown_option& error) {
  std::vector<std::string> names;
  for (const VerbOption& option : options_of(verb)) names.push_back("--" + option.name);
  const std::string word = error.get_option_name();
  return usage(verb, fmt::format("unknown option '{}'{}", word, suggestion(word, names)));
}

Result<void> check_choices(const Verb& verb, const Arguments& arguments) {
  for (const VerbOption& option : verb.options) {
    const std::string word = arguments.text(option.name);
    if (option.choices.empty() || std::ranges::count(option.choices, word) > 0) continue;
    return usage(verb,
                 fmt::format("--{} = {} is not one of {}", option.name, word, option.range()));
  }
  return {};
}

Result<Arguments> checked(const Verb& verb, std::vector<Arguments::Given> given,
                          std::vector<std::string> positionals) {
  Arguments arguments(options_of(verb), std::move(given), std::move(positionals));
  const std::size_t count = arguments.positionals().size();
  if (arguments.has("help")) return arguments;
  if (count < verb.least) return usage(verb, "needs " + verb.positionals);
  if (count > verb.most) {
    return usage(verb, fmt::format("takes {}, not also '{}'",
                                   verb.positionals.empty() ? "no argument" : verb.positionals,
                                   arguments.positionals()[verb.most]));
  }
  KE_TRY_VOID(check_choices(verb, arguments));
  return arguments;
}

}  // namespace

std::vector<VerbOption> options_of(const Verb& verb) {
  std::vector<VerbOption> options = verb.options;
  options.push_back({"json", 0, "", "", "write one JSON document instead of tables"});
  options.push_back({"help", 'h', "", "", "print this text"});
  return options;
}

Result<Arguments> parse_arguments(const Verb& verb, const std::vector<std::string>& words) {
  using Style = po::command_line_style::style_t;
  const int style = Style::unix_style & ~Style::allow_guessing;
  const po::options_description description = describe(verb);
  try {
    const auto parsed = po::command_line_parser(words).options(description).style(style).run();
    std::vector<Arguments::Given> given;
    std::vector<std::string> positionals;
    for (const auto& option : parsed.options) {
      if (option.position_key >= 0) {
        positionals.push_back(option.value.front());
      } else {
        given.push_back({option.string_key, option.value.empty() ? "" : option.value.front()});
      }
    }
    return checked(verb, std::move(given), std::move(positionals));
  } catch (const po::unknown_option& error) {
    return unknown_option(verb, error);
  } catch (const po::error& error) {
    return usage(verb, error.what());
  }
}

std::string help_text(const Verb& verb) {
  std::ostringstream text;
  text << "kernelevolve " << verb.name << (verb.positionals.empty() ? "" : " ") << verb.positionals
       << " [options]\n\n"
       << verb.summary << "\n";
  if (!verb.details.empty()) text << "\n" << verb.details << "\n";
  text << "\n" << describe(verb) << "\nExample:\n  " << verb.example << "\n\nExit codes:\n";
  for (const ExitCode& one : exit_codes_of(verb)) {
    text << fmt::format("  {:<4} {}\n", one.code, one.meaning);
  }
  return text.str();
}

}  // namespace ke
